import { fork, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

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
const PASSWORD = 'a horse, a battery and a staple';

const self = fileURLToPath(import.meta.url);
const built = resolve(import.meta.dirname, '../dist/main.js');

if (process.argv[2] === 'flood') flood(Number(process.argv[3]));
else await main();

async function main() {
  if (!existsSync(built)) throw new Error('there is no dist/main.js: npm run build');
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'login-storm-'));
  // the account that the embedded database runs as must get through, or its files lie elsewhere and stay
  chmodSync(folder, 0o711);
  const port = await freePort();
  const service = startService(port, folder);
  const flooding = fork(self, ['flood', String(port)]);
  process.once('exit', () => service.kill('SIGTERM'));
  try {
    const { call, close } = client(port);
    await ready(call, service);
    const desk = await openDesk(call);
    close();
    await sendSteadily(port, desk, 3_000);
    console.log(
      `each phase ${PHASE_MS / 1000} s: ${SENDS_PER_SECOND} sends/s, ${LOGINS_PER_SECOND} logins/s in a storm`,
    );
    const rounds = [];
    while (rounds.length < ROUNDS && (rounds.length === 0 || performance.now() - started < LAST_START_MS)) {
      rounds.push(await playRound(port, desk, flooding, service.pid, rounds.length % 2 === 1));
      report(`round ${rounds.length}`, rounds.at(-1));
    }
    report('all', {
      calm: rounds.flatMap(({ calm }) => calm),
      storm: rounds.flatMap(({ storm }) => storm),
      cpu: { calm: mean(rounds.map(({ cpu }) => cpu.calm)), storm: mean(rounds.map(({ cpu }) => cpu.storm)) },
      answers: total(rounds.map(({ answers }) => answers)),
    });
    console.log(
      `load average ${loadavg()
        .map(value => value.toFixed(1))
        .join(' ')}`,
    );
  } finally {
    flooding.kill();
    service.kill('SIGTERM');
    await new Promise(done => (service.exitCode === null ? service.once('exit', done) : done()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One calm and one storm, in either order: what drifts meanwhile must not fall on one of them alone. */
async function playRound(port, desk, flooding, pid, stormFirst) {
  const storm = async () => {
    flooding.send({ emails: desk.emails, ms: PHASE_MS });
    const measured = await measure(port, desk, pid);
    const answers = await Promise.race([
      new Promise(done => flooding.once('message', done)),
      delay(DRAIN_MS, {}, { ref: false }),
    ]);
    return { ...measured, answers };
  };
  const first = stormFirst ? await storm() : null;
  const calm = await measure(port, desk, pid);
  const { times, cpu, answers } = first ?? (await storm());
  return { calm: calm.times, storm: times, cpu: { calm: calm.cpu, storm: cpu }, answers };
}

/** The sends of one phase, and how much of a core the service's main thread took for all that it had to do in it. */
async function measure(port, desk, pid) {
  const before = cpuSeconds(pid);
  const begun = performance.now();
  const times = await sendSteadily(port, desk, PHASE_MS);
  return { times, cpu: ((cpuSeconds(pid) - before) * 1000) / (performance.now() - begun) };
}

/** Of the main thread alone, which bcrypt must not touch; the steadiest figure on a machine that others use too. */
function cpuSeconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}

/** Open loop: whoever is slow is not waited for, and holds up nobody else's measure. @returns milliseconds, each */
async function sendSteadily(port, { token, conversations }, ms) {
  const { call, close } = client(port);
  const sends = [];
  const begun = performance.now();
  for (let sent = 0; ; sent += 1) {
    const due = begun + (sent * 1000) / SENDS_PER_SECOND;
    if (due - begun >= ms) break;
    const wait = due - performance.now();
    if (wait > 0) await delay(wait);
    const id = conversations[sent % conversations.length];
    const send = timed(call, `/v1/conversations/${id}/messages`, { content: `message ${sent}` }, { token });
    send.catch(() => undefined);
    sends.push(send);
  }
  return Promise.all(sends).finally(close);
}

async function timed(call, path, body, options) {
  const begun = performance.now();
  const { status } = await call('POST', path, body, options);
  if (status !== 201) throw new Error(`a message was answered ${status}`);
  return performance.now() - begun;
}

/** A workspace with its conversations, and people whose e-mails a flood can name. */
async function openDesk(call) {
  const owner = await register(call);
  const { token } = owner.session;
  const channels = await call('GET', '/v1/channels', undefined, { token });
  const widgetToken = channels.data.items[0].widget_token;
  const conversations = [];
  for (let index = 0; index < CONVERSATIONS; index += 1) {
    const session = await call('POST', '/v1/widget/session', { widget_token: widgetToken });
    const body = { message: { content: 'Hello?' } };
    const begun = await call('POST', '/v1/widget/conversations', body, { token: session.data.visitor_token });
    conversations.push(begun.data.conversation.id);
  }
  const others = [];
  for (let index = 0; index < 9; index += 1) others.push((await register(call)).email);
  return { token, conversations, emails: [owner.email, ...others] };
}

async function register(call) {
  const email = `known-${randomBytes(6).toString('hex')}@example.com`;
  const body = { workspace_name: 'Storm', name: 'Olivia', email, password: PASSWORD };
  const { status, data } = await call('POST', '/v1/auth/register', body, { address: someAddress() });
  if (status !== 201) throw new Error(`registering was answered ${status}`);
  return { email, session: data };
}

/** Logins with wrong passwords from ever new addresses, every other one for an e-mail that nobody has. */
function flood(port) {
  process.on('message', async ({ emails, ms }) => {
    const { call, close } = client(port);
    const answers = {};
    const attempts = [];
    const begun = performance.now();
    for (let sent = 0; (sent * 1000) / LOGINS_PER_SECOND < ms; sent += 1) {
      const wait = begun + (sent * 1000) / LOGINS_PER_SECOND - performance.now();
      if (wait > 1) await delay(wait);
      const [kind, email] =
        sent % 2 === 0
          ? ['known', emails[randomInt(emails.length)]]
          : ['unknown', `unknown-${randomBytes(6).toString('hex')}@example.com`];
      const attempt = call('POST', '/v1/auth/login', { email, password: 'a wrong one' }, { address: someAddress() });
      attempts.push(
        attempt.then(
          ({ status }) => count(answers, `${kind} ${status}`),
          error => count(answers, `${kind} ${error.code}`),
        ),
      );
    }
    await Promise.all(attempts);
    close();
    process.send(answers);
  });
}

function startService(port, folder) {
  return spawn(process.execPath, [built], {
    cwd: resolve(import.meta.dirname, '..'),
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: folder,
      BCRYPT_COST: '12',
      TRUST_PROXY: '1',
      // the published ones, but for those that measuring itself would meet
      RATE_LIMITS: 'agent=1000000/60',
      LOG_FORMAT: 'json',
    },
  });
}

async function ready(call, service) {
  for (;;) {
    if (service.exitCode !== null) throw new Error(`the service ended with ${service.exitCode}`);
    const { status } = await call('GET', '/readyz').catch(() => ({ status: 0 }));
    if (status === 200) return;
    await delay(100);
  }
}

/**
 * Calls the service: `{status, data}`; `address` is whom its proxy says the call is from. One for each phase: a
 * connection that has been idle for long is one that the service may just be closing.
 */
function client(port) {
  const agent = new Agent({ keepAlive: true, maxSockets: 512 });
  const call = (method, path, body, { token, address } = {}) =>
    new Promise((done, failed) => {
      const text = body === undefined ? '' : JSON.stringify(body);
      const headers = {
        ...(text && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(address && { 'X-Forwarded-For': address }),
      };
      const asked = request({ host: '127.0.0.1', port, method, path, headers, agent }, answer => {
        const parts = [];
        answer.on('data', part => parts.push(part));
        answer.on('error', failed);
        answer.on('end', () => {
          const said = Buffer.concat(parts).toString('utf8');
          done({ status: answer.statusCode, data: said.startsWith('{') ? JSON.parse(said).data : undefined });
        });
      });
      asked.on('error', failed);
      asked.end(text);
    });
  return { call, close: () => agent.destroy() };
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

function quantile(times, part) {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function total(tables) {
  const sums = {};
  for (const [kind, times] of tables.flatMap(Object.entries)) sums[kind] = (sums[kind] ?? 0) + times;
  return sums;
}

function count(table, key) {
  table[key] = (table[key] ?? 0) + 1;
}

function someAddress() {
  return `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
}

function freePort() {
  return new Promise(done => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}
