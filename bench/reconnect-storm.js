import { fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { client } from './client.js';
import { quantile } from './measure/statistics.js';
import { each, steadily } from './pace.js';
import { dataFolder, openDesk, startService } from './service.js';

/**
 * What it costs those who are talking when everybody else comes back at once: sockets are cut together, much is said
 * while they are away, and they return together with their cursors, beside a steady rate of messages into the very
 * conversations that they listen to. With handshakes paced, and without. Three processes: the built service, the crowd,
 * and this one, which sends. In the end each socket is asked whether it has every message.
 */

const SOCKETS = Number(process.env.SOCKETS ?? 2_000);
const TABS = 4;
const SENDS_PER_SECOND = 50;
const CALM_MS = 4_000;
/** Said in each conversation while its visitor is away. */
const MISSED = 5;
/** After that whoever is not whole never will be. */
const PATIENCE_MS = 25_000;
const PACES = [
  ['paced', {}],
  ['unpaced', { WS_HANDSHAKES_AT_ONCE: '10000' }],
];

if (process.argv[2] === 'crowd') crowd(Number(process.argv[3]));
else await main();

async function main() {
  const { folder, remove } = dataFolder('reconnect-storm');
  // what preparing and sending would meet; handshakes stay at the published 120 a minute for each
  const env = { RATE_LIMITS: 'widget_session=1000000/60,agent=1000000/60' };
  let service;
  let stage;
  const lines = [];
  try {
    for (const [name, pace] of PACES) {
      service = await startService(folder, { ...env, ...pace });
      stage ??= await prepare(service.port);
      lines.push(...(await play(name, service, stage)));
      await service.stop();
    }
  } finally {
    await service?.stop();
    remove();
  }
  const load = loadavg().map(value => value.toFixed(1));
  console.log([...lines, `load average ${load.join(' ')}`].map(line => `  ${line}`).join('\n'));
}

/** Visitors, each with a conversation of its own, and how far each conversation has come. */
async function prepare(port) {
  const { made, close } = client(port);
  const desk = await openDesk(made);
  const visitors = await each(Array(Math.ceil(SOCKETS / TABS)).fill(), 32, async () => {
    const { visitor_token: token } = await made('POST', '/v1/widget/session', { widget_token: desk.widgetToken });
    const { conversation } = await made('POST', '/v1/widget/conversations', { message: { content: 'Hello?' } }, token);
    return { token, id: conversation.id };
  });
  close();
  return { desk, visitors, last: Object.fromEntries(visitors.map(({ id }) => [id, 1])) };
}

async function play(name, service, { desk, visitors, last }) {
  const members = fork(fileURLToPath(import.meta.url), ['crowd', String(service.port)]);
  const { made, close } = client(service.port);
  const say = async id => {
    const { seq } = await made('POST', `/v1/conversations/${id}/messages`, { content: 'Are you there?' }, desk.token);
    last[id] = Math.max(last[id], seq);
  };
  const timed = async index => {
    const begun = performance.now();
    await say(visitors[index % visitors.length].id);
    return performance.now() - begun;
  };
  try {
    await steadily(SENDS_PER_SECOND, 1_000, timed);
    await asked(members, { open: visitors, tabs: TABS });
    const calm = await steadily(SENDS_PER_SECOND, CALM_MS, timed);
    const before = { ...last };
    await asked(members, { cut: true });
    await each(
      Array.from({ length: visitors.length * MISSED }, (_, index) => visitors[index % visitors.length]),
      16,
      ({ id }) => say(id),
    );
    await service.ask('time');

    let over = false;
    const returning = asked(members, { back: true }).finally(() => (over = true));
    const storm = [];
    while (!over) storm.push(...(await steadily(SENDS_PER_SECOND, 500, timed)));
    const { wholeMs, handshakes, refused } = await returning;
    const { stallMs } = await service.ask('time');
    await delay(1_000);
    const { missing, whole, synced } = await asked(members, { check: { before, last } });
    const sends = (what, times) =>
      `${what} p50 ${quantile(times, 0.5).toFixed(1)}, p99 ${quantile(times, 0.99).toFixed(1)}, longest ${Math.max(...times).toFixed(0)} ms`;
    return [
      `${name.padEnd(8)} ${whole} of ${visitors.length * TABS} sockets whole, ${missing} messages missing, ${synced} told to read anew`,
      `         told what they had missed: half within ${quantile(wholeMs, 0.5).toFixed(0)} ms, all within ${Math.max(...wholeMs).toFixed(0)} ms; ${handshakes} handshakes, ${refused} sent away`,
      `         sends: ${sends('calm', calm)}; ${sends('storm', storm)}; longest stall ${stallMs.toFixed(0)} ms`,
    ];
  } finally {
    members.kill();
    close();
  }
}

function asked(child, question) {
  child.send(question);
  return once(child, 'message').then(([answer]) => answer);
}

/** The process of those who are cut off, and come back. */
function crowd(port) {
  process.once('disconnect', () => process.exit());
  let members = [];
  const counts = { handshakes: 0, refused: 0 };
  process.on('message', async ({ open, tabs, cut, back, check }) => {
    if (open) {
      members = open.flatMap(({ token, id }) => Array.from({ length: tabs }, () => ({ token, id, seqs: new Set() })));
      await each(members, 50, enter);
      return process.send({});
    }
    if (cut) {
      for (const { socket } of members) socket.terminate();
      return process.send({});
    }
    if (check) return process.send(verdict(check));
    Object.assign(counts, { handshakes: 0, refused: 0 });
    const begun = performance.now();
    const late = delay(PATIENCE_MS, undefined, { ref: false });
    const wholeMs = [];
    const all = members.map(member => enter(member).then(() => wholeMs.push(performance.now() - begun)));
    await Promise.race([Promise.all(all), late]);
    process.send({ wholeMs, ...counts });
  });

  /** @returns once the service has said all that was missed; whoever is sent away comes again, as the SDK does */
  async function enter(member) {
    for (let attempt = 0; ; attempt += 1) {
      const waitSeconds = await new Promise(done => connectOnce(member, done));
      if (waitSeconds === null) return;
      await delay(waitSeconds * 1000 + Math.random() * 500 * 2 ** Math.min(attempt, 6));
    }
  }

  /** @param done null when it is in, else the seconds after which to try again */
  function connectOnce(member, done) {
    const query = new URLSearchParams({ token: member.token, ...(member.cursor && { after: member.cursor }) });
    const resuming = member.cursor !== undefined;
    counts.handshakes += 1;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/visitor?${query}`);
    member.socket = socket;
    socket.on('error', () => undefined);
    socket.on('unexpected-response', (request, answer) => {
      counts.refused += 1;
      request.destroy();
      done(Number(answer.headers['retry-after'] ?? 1));
    });
    socket.on('close', () => done(0));
    socket.on('message', data => {
      const frame = JSON.parse(data);
      member.cursor = frame.cursor ?? frame.data.to ?? (frame.type === 'connected' ? frame.data.cursor : member.cursor);
      if (frame.type === 'message.created') member.seqs.add(frame.data.message.seq);
      if (frame.type === 'sync.required') member.synced = true;
      if (['resumed', 'sync.required'].includes(frame.type) || (frame.type === 'connected' && !resuming)) done(null);
    });
  }

  /** Whether each has every message that was said since all of them were cut off. */
  function verdict({ before, last }) {
    let [missing, whole] = [0, 0];
    for (const { id, seqs } of members) {
      let lacks = 0;
      for (let seq = before[id] + 1; seq <= last[id]; seq += 1) if (!seqs.has(seq)) lacks += 1;
      missing += lacks;
      if (lacks === 0) whole += 1;
    }
    return { missing, whole, synced: members.filter(({ synced }) => synced).length };
  }
}
