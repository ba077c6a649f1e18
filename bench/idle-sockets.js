import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { client } from './client.js';
import { quantile } from './measure/statistics.js';
import { each, now, steadily } from './pace.js';
import { dataFolder, hireAgents, openDesk, startService } from './service.js';

/**
 * What ten thousand people who only look on cost an instance, and what those who talk notice of them. Three processes:
 * the built service, the visitors (bare TCP, so that they cost the machine little), and this one: the agents, and what
 * they are sent. The service that is measured is a fresh one, which has not made the contacts.
 */

const SOCKETS = Number(process.env.SOCKETS ?? 10_000);
/** Tabs of one visitor: a quarter of the contacts to make, and the same sockets. */
const TABS = 4;
const AGENTS = 200;
const SENDS_PER_SECOND = 20;
const SENDING_MS = 10_000;
/** Each socket is pinged in it once, and answers. */
const PING_MS = 12_000;
/** Handshakes under way at once. */
const OPENING = 100;
/** The kernel has 28,000 ports for one address; a proxy has as few. */
const ADDRESSES = 4;

if (process.argv[2] === 'visitors') visitors(Number(process.argv[3]));
else await main();

async function main() {
  const { folder, remove } = dataFolder('idle-sockets');
  // those that preparing would meet; handshakes stay at the published 120 a minute for each
  const env = { RATE_LIMITS: 'widget_session=1000000/60', WS_PING_INTERVAL_MS: String(PING_MS) };
  let service = await startService(folder, env);
  let crowd;
  try {
    const stage = await prepare(service.port);
    await service.stop();
    service = await startService(folder, env);
    crowd = fork(fileURLToPath(import.meta.url), ['visitors', String(service.port)]);
    console.log((await measure(service, crowd, stage)).map(line => `  ${line}`).join('\n'));
  } finally {
    crowd?.kill();
    await service.stop();
    remove();
  }
}

/** A desk, its agents, and a token for each visitor. */
async function prepare(port) {
  const { made, close } = client(port);
  const desk = await openDesk(made);
  const agents = await hireAgents(made, desk.key, AGENTS);
  const open = () => made('POST', '/v1/widget/session', { widget_token: desk.widgetToken });
  const visitors = await each(Array(Math.ceil(SOCKETS / TABS)).fill(), 32, async () => (await open()).visitor_token);
  const tokens = Array.from({ length: SOCKETS }, (_, index) => visitors[index % visitors.length]);
  const body = { message: { content: 'Hello?' } };
  const { conversation } = await made('POST', '/v1/widget/conversations', body, (await open()).visitor_token);
  close();
  return { desk, agents, tokens, conversation };
}

async function measure(service, crowd, { desk, agents, tokens, conversation }) {
  const open = list => asked(crowd, { open: list });
  // the code is compiled, and the first of everything made, before anything is counted
  await open(tokens.slice(0, 500));
  await asked(crowd, { close: true });
  await delay(500);

  const before = await service.ask('memory');
  const started = await service.ask('time');
  const begun = now();
  const opened = await open(tokens);
  const seconds = (now() - begun) / 1000;
  const opening = await service.ask('time');
  const after = await service.ask('memory');
  const kib = field => ((after[field] - before[field]) / opened.open / 1024).toFixed(1);

  await service.ask('time');
  const idleFrom = await service.ask('time');
  const counted = await asked(crowd, { count: true });
  await delay(PING_MS);
  const idle = await service.ask('time');
  const { pinged, open: left } = await asked(crowd, { count: true });

  const inbox = await each(agents, 20, token => listen(service.port, token));
  await service.ask('time');
  const { times, missing, cpuMs, stallMs } = await talk(service, desk, conversation, inbox);
  const still = await asked(crowd, { count: true });
  for (const { socket } of inbox) socket.terminate();
  return [
    `${opened.open} of ${tokens.length} visitors' sockets open, ${still.open} at the end, ${AGENTS} agents in one inbox`,
    `memory a socket      ${kib('rss')} KiB resident, ${kib('heapUsed')} KiB heap, ${kib('external')} KiB outside of it`,
    `accepts              ${(opened.open / seconds).toFixed(0)} a second, ${per(opening.cpuMs - started.cpuMs, opened.open)} of processor each`,
    `longest stall        ${opening.stallMs.toFixed(0)} ms opening, ${idle.stallMs.toFixed(0)} ms idle with pings, ${stallMs.toFixed(0)} ms talking`,
    `idle for ${PING_MS / 1000} s        ${pinged - counted.pinged} pings to ${left} sockets, ${((idle.cpuMs - idleFrom.cpuMs) / PING_MS).toFixed(3)} of a core`,
    `delivery at ${SENDS_PER_SECOND}/s     p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms, ${times.length} frames, ${missing} missing`,
    `  of the processor   ${per(cpuMs, times.length)} a frame`,
    `load average         ${loadavg()
      .map(value => value.toFixed(1))
      .join(' ')}`,
  ];
}

function per(ms, count) {
  return `${((ms * 1000) / count).toFixed(0)} µs`;
}

/** Sends messages at a steady rate. @returns how long each took to each agent, from before it was sent */
async function talk(service, desk, { id }, inbox) {
  const { made, close } = client(service.port);
  const send = index => made('POST', `/v1/conversations/${id}/messages`, { content: `@${now()} ${index}` }, desk.token);
  await steadily(SENDS_PER_SECOND, 1_000, send);
  await delay(200);
  for (const { heard } of inbox) heard.length = 0;
  const from = await service.ask('time');
  const sent = (await steadily(SENDS_PER_SECOND, SENDING_MS, send)).length;
  await delay(1_000);
  const { cpuMs, stallMs } = await service.ask('time');
  close();
  // read only now: what the listeners do meanwhile is counted as delivery
  const times = inbox.flatMap(({ heard }) =>
    heard.flatMap(({ at, data }) => {
      const [, since] = /"content":"@([\d.]+) /.exec(data.toString('latin1')) ?? [];
      return since === undefined ? [] : [at - Number(since)];
    }),
  );
  return { times, missing: sent * inbox.length - times.length, cpuMs: cpuMs - from.cpuMs, stallMs };
}

/** An agent in the inbox, and every frame that it hears, with when. */
async function listen(port, token) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/agent?token=${token}`);
  const heard = [];
  socket.on('message', data => heard.push({ at: now(), data }));
  await once(socket, 'message');
  return { socket, heard };
}

function asked(child, question) {
  child.send(question);
  return once(child, 'message').then(([answer]) => answer);
}

/** The process of those who only look on: they open sockets, and answer pings. */
function visitors(port) {
  process.once('disconnect', () => process.exit());
  const sockets = new Set();
  let pinged = 0;
  const state = () => ({ open: sockets.size, pinged });
  process.on('message', async ({ open, close }) => {
    if (open) await each(open, OPENING, enter);
    if (close) for (const socket of sockets) socket.destroy();
    if (close) sockets.clear();
    process.send(state());
  });

  /** @returns once the service has said `connected`, or has refused */
  function enter(token, index) {
    return new Promise(done => {
      const localAddress = `127.0.0.${2 + (index % ADDRESSES)}`;
      const socket = connect({ host: '127.0.0.1', port, localAddress });
      const key = randomBytes(16).toString('base64');
      const head = ['Host: bench', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
      socket.write(
        `GET /ws/visitor?token=${token} HTTP/1.1\r\n${head.join('\r\n')}\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
      );
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        done();
      });
      socket.on('data', chunk => {
        // a ping without a payload; its answer, masked with zeros
        if (chunk[0] === 0x89) {
          pinged += 1;
          socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]));
        } else if (chunk.includes('"connected"')) {
          sockets.add(socket);
          done();
        }
      });
    });
  }
}
