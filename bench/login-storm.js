import { fork } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { client } from './client.js';
import { quantile } from './measure/statistics.js';
import { each, steadily } from './pace.js';
import { dataFolder, openDesk, register, startService } from './service.js';

/**
 * What a flood of logins costs those who are talking: sends messages at a steady rate, calm and beside the flood, in
 * turns, and sets the two side by side. Three processes: the built service, the flood, and this one, which measures.
 */

const SENDS_PER_SECOND = 50;
const LOGINS_PER_SECOND = 200;
const CONVERSATIONS = 10;
const PHASE_MS = 8_000;
const ROUNDS = 3;
/** As long as hashes that were waiting when a flood ended may take; the next calm begins after them. */
const DRAIN_MS = 20_000;
/** No round begins later than this, whatever the machine is busy with. */
const LAST_START_MS = 65_000;

const self = fileURLToPath(import.meta.url);

if (process.argv[2] === 'flood') flood(Number(process.argv[3]));
else await main();

async function main() {
  const started = performance.now();
  const { folder, remove } = dataFolder('login-storm');
  // the published rates, but for those that measuring itself would meet
  const env = { BCRYPT_COST: '12', TRUST_PROXY: '1', RATE_LIMITS: 'agent=1000000/60' };
  let service;
  let flooding;
  try {
    service = await startService(folder, env);
    flooding = fork(self, ['flood', String(service.port)]);
    const stage = await prepare(service.port);
    await sendSteadily(service.port, stage, 3_000);
    console.log(
      `each phase ${PHASE_MS / 1000} s: ${SENDS_PER_SECOND} sends/s, ${LOGINS_PER_SECOND} logins/s in a storm`,
    );
    const rounds = [];
    while (rounds.length < ROUNDS && (rounds.length === 0 || performance.now() - started < LAST_START_MS)) {
      rounds.push(await playRound(service, stage, flooding, rounds.length % 2 === 1));
      report(`round ${rounds.length}`, rounds.at(-1));
    }
    report('all', {
      calm: rounds.flatMap(({ calm }) => calm),
      storm: rounds.flatMap(({ storm }) => storm),
      cpu: { calm: mean(rounds.map(({ cpu }) => cpu.calm)), storm: mean(rounds.map(({ cpu }) => cpu.storm)) },
      answers: total(rounds.map(({ answers }) => answers ?? {})),
    });
    const load = loadavg().map(value => value.toFixed(1));
    console.log(`load average ${load.join(' ')}`);
  } finally {
    flooding?.kill();
    await service?.stop();
    remove();
  }
}

/** A workspace with its conversations, and people whose e-mails a flood can name. */
async function prepare(port) {
  const { made, close } = client(port);
  const { token, widgetToken } = await openDesk(made);
  const conversations = await each(Array(CONVERSATIONS).fill(), 4, async () => {
    const { visitor_token: visitor } = await made('POST', '/v1/widget/session', { widget_token: widgetToken });
    const body = { message: { content: 'Hello?' } };
    return (await made('POST', '/v1/widget/conversations', body, visitor)).conversation.id;
  });
  const emails = await each(Array(10).fill(), 2, async () => {
    const email = `known-${randomBytes(6).toString('hex')}@example.com`;
    await register(made, email, from(someAddress()));
    return email;
  });
  close();
  return { token, conversations, emails };
}

/** One calm and one storm, in either order: what drifts meanwhile must not fall on one of them alone. */
async function playRound({ port, pid }, stage, flooding, stormFirst) {
  const storm = async () => {
    flooding.send({ emails: stage.emails, ms: PHASE_MS });
    const measured = await measure(port, stage, pid);
    const answers = await Promise.race([
      new Promise(done => flooding.once('message', done)),
      delay(DRAIN_MS, {}, { ref: false }),
    ]);
    return { ...measured, answers };
  };
  const first = stormFirst ? await storm() : null;
  const calm = await measure(port, stage, pid);
  const { times, cpu, answers } = first ?? (await storm());
  return { calm: calm.times, storm: times, cpu: { calm: calm.cpu, storm: cpu }, answers };
}

/** The sends of one phase, and how much of a core the service's main thread took for all that it had to do in it. */
async function measure(port, stage, pid) {
  const before = mainThreadSeconds(pid);
  const begun = performance.now();
  const times = await sendSteadily(port, stage, PHASE_MS);
  return { times, cpu: ((mainThreadSeconds(pid) - before) * 1000) / (performance.now() - begun) };
}

/** Of the main thread alone, which bcrypt must not touch; the steadiest figure on a machine that others use too. */
function mainThreadSeconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}

/** @returns milliseconds of each send; by a client of its own, for one that was idle may just be losing a connection */
async function sendSteadily(port, { token, conversations }, ms) {
  const { made, close } = client(port, { sockets: 512 });
  const send = async index => {
    const begun = performance.now();
    const id = conversations[index % conversations.length];
    await made('POST', `/v1/conversations/${id}/messages`, { content: `message ${index}` }, token);
    return performance.now() - begun;
  };
  return steadily(SENDS_PER_SECOND, ms, send).finally(close);
}

/** Logins with wrong passwords from ever new addresses, every other one for an e-mail that nobody has. */
function flood(port) {
  process.once('disconnect', () => process.exit());
  process.on('message', async ({ emails, ms }) => {
    const { call, close } = client(port, { sockets: 512 });
    const answers = {};
    const count = what => (answers[what] = (answers[what] ?? 0) + 1);
    await steadily(LOGINS_PER_SECOND, ms, index => {
      const known = index % 2 === 0;
      const email = known ? emails[randomInt(emails.length)] : `unknown-${randomBytes(6).toString('hex')}@example.com`;
      const kind = known ? 'known' : 'unknown';
      const body = { email, password: 'a wrong one' };
      return call('POST', '/v1/auth/login', body, undefined, from(someAddress())).then(
        ({ status }) => count(`${kind} ${status}`),
        error => count(`${kind} ${error.code}`),
      );
    });
    close();
    process.send(answers);
  });
}

function report(title, { calm, storm, cpu, answers }) {
  const line = (name, times) => `${name} p50 ${of(times, 0.5)} p99 ${of(times, 0.99)} ms`;
  const ratio = part => (quantile(storm, part) / quantile(calm, part)).toFixed(2);
  console.log(`${title}: ${line('calm', calm)} | ${line('storm', storm)} | ratio p50 ${ratio(0.5)} p99 ${ratio(0.99)}`);
  console.log(`  main thread: calm ${cpu.calm.toFixed(2)}, storm ${cpu.storm.toFixed(2)} of a core`);
  const kinds = Object.keys(answers).sort();
  console.log(`  logins: ${kinds.map(kind => `${kind} × ${answers[kind]}`).join(', ') || 'not all answered in time'}`);
}

function of(times, part) {
  return quantile(times, part).toFixed(1);
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function total(tables) {
  const sums = {};
  for (const [kind, times] of tables.flatMap(Object.entries)) sums[kind] = (sums[kind] ?? 0) + times;
  return sums;
}

/** Whom the service's proxy says that a call is from. */
function from(address) {
  return { 'X-Forwarded-For': address };
}

function someAddress() {
  return `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
}
