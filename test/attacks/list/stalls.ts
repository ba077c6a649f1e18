import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { callApi, beginConversation } from '../../support/outside.js';
import { call } from '../../support/service-process.js';
import { PASSWORD, unique } from '../../support/world.js';
import type { Attack } from '../attack.js';
import { stall } from '../stall.js';

/** Number of responses per status. */
type StatusCounts = Record<string, number>;

const add = (counts: StatusCounts, status: number | string) => (counts[status] = (counts[status] ?? 0) + 1);
const formatCounts = (counts: StatusCounts) =>
  Object.entries(counts)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ') || 'none';

/** Runs `work` in parallel loops until the attack is over. */
async function flood(loops: number, over: () => boolean, work: () => Promise<number | string>): Promise<StatusCounts> {
  const counts: StatusCounts = {};
  const loop = async () => {
    while (!over()) {
      const status = await work().catch(() => 'no response');
      add(counts, status);
      if (status === 429 || status === 'no response') await delay(20);
    }
  };
  await Promise.all(Array.from({ length: loops }, loop));
  return counts;
}

/** Waits for the work, at most for the given milliseconds. */
const within = <T>(work: Promise<T>, ms: number) => Promise.race([work, delay(ms).then(() => 'no response' as const)]);

/** Opens a socket and counts how it ends. */
function open(url: string, ends: StatusCounts): WebSocket {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  socket.on('error', () => undefined);
  socket.on('unexpected-response', (_request, answer) => {
    add(ends, `HTTP ${answer.statusCode}`);
    socket.terminate();
  });
  socket.on('close', code => code !== 1006 && add(ends, code));
  return socket;
}

/** Cursor of a socket that starts now. */
async function readCursor(url: string): Promise<string> {
  const socket = new WebSocket(url);
  const [first] = (await once(socket, 'message')) as [Buffer];
  socket.terminate();
  return (JSON.parse(first.toString()) as { data: { cursor: string } }).data.cursor;
}

const seconds = (since: number) => Math.round((performance.now() - since) / 1_000);
const isOpen = (socket: WebSocket) => socket.readyState === WebSocket.OPEN;

export const STALLS: readonly Attack[] = [
  stall({
    name: 'opening hours of one minute a week, requested by anyone',
    async prepare(arena) {
      const { url } = arena;
      const { token, channelId, widgetToken } = await arena.desk();
      const yesterday = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][(new Date().getUTCDay() + 6) % 7]!;
      const business_hours = { [yesterday]: [{ from: '00:01', to: '00:02' }] };
      await callApi('PATCH', `${url}/v1/channels/${channelId}`, token, { business_hours });
      const config = `${url}/v1/widget/config?widget_token=${widgetToken}`;
      return async over => ({
        figures: { answers: formatCounts(await flood(20, over, async () => (await call('GET', config)).status)) },
      });
    },
  }),
  stall({
    name: 'twenty sockets of one visitor with frames of 5,000 keys',
    async prepare(arena) {
      const visitor = await beginConversation(arena.url, await arena.desk());
      const keys = Object.fromEntries(Array.from({ length: 5_000 }, (_nothing, index) => [`k${index}`, 0]));
      const frame = JSON.stringify({ type: 'ping', ...keys });
      return async over => {
        const ends: StatusCounts = {};
        let frames = 0;
        const one = async () => {
          while (!over()) {
            const socket = open(`${arena.url.replace('http', 'ws')}/ws/visitor?token=${visitor.token}`, ends);
            await new Promise(resolve => socket.once('open', resolve).once('close', resolve));
            while (!over() && isOpen(socket)) {
              if (socket.bufferedAmount < 500_000) socket.send(frame, () => (frames += 1));
              await delay(25);
            }
            socket.terminate();
            await delay(200);
          }
        };
        await Promise.all(Array.from({ length: 20 }, one));
        return { figures: { frames, ends: formatCounts(ends) } };
      };
    },
  }),
  stall({
    name: 'unknown e-mail addresses and API keys, a new one each time',
    async prepare(arena) {
      return async over => {
        const forgotten = flood(8, over, async () => {
          const body = { email: `${unique('x')}@example.com` };
          return (await call('POST', `${arena.url}/v1/auth/password/forgot`, { body })).status;
        });
        const unknown = flood(8, over, async () => {
          const token = `svc_sk_${unique('').replace(/\W/g, '').padEnd(32, 'x').slice(0, 32)}`;
          return (await call('GET', `${arena.url}/v1/channels`, { token })).status;
        });
        return { figures: { forgotten: formatCounts(await forgotten), 'unknown keys': formatCounts(await unknown) } };
      };
    },
  }),
  stall({
    name: 'forty concurrent logins to one account, with its correct password',
    async prepare(arena) {
      const { email } = await arena.desk();
      const body = { email, password: PASSWORD };
      const login = () => call('POST', `${arena.url}/v1/auth/login`, { body }).then(({ status }) => status);
      return async over => ({ figures: { answers: formatCounts(await flood(40, over, login)) } });
    },
  }),
  stall({
    name: 'forty members created concurrently with passwords and Idempotency-Keys',
    async prepare(arena) {
      const { key } = await arena.desk();
      const make = async () => {
        const body = { email: `${unique('m')}@example.com`, name: 'M', password: PASSWORD };
        const headers = { 'Idempotency-Key': unique('k') };
        return (await call('POST', `${arena.url}/v1/workspace/members`, { token: key, body, headers })).status;
      };
      return async over => ({ figures: { answers: formatCounts(await flood(40, over, make)) } });
    },
  }),
  stall({
    name: 'four hundred requests whose bodies never end',
    ms: 40_000,
    async prepare(arena) {
      const { port } = new URL(arena.url);
      const head = 'POST /v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
      return async over => {
        const started = performance.now();
        const ends: StatusCounts = {};
        let open = 0;
        let lastEnd = 0;
        const sockets = Array.from({ length: 400 }, (): Socket => {
          const socket = connect(Number(port), '127.0.0.1', () => {
            open += 1;
            socket.write(`${head}Content-Length: 250000\r\n\r\n{"email":"${'x'.repeat(240_000)}`);
          });
          socket.on('error', () => undefined);
          socket.once('data', data => add(ends, data.toString('latin1').slice(9, 12)));
          socket.on('close', () => {
            open -= 1;
            lastEnd = performance.now() - started;
          });
          return socket;
        });
        await delay(4_000);
        const residentMiB = arena.residentMiB();
        while (!over()) await delay(50);
        const left = open;
        for (const socket of sockets) socket.destroy();
        const last = left === 0 ? Math.round(lastEnd / 1_000) : 'never';
        return {
          figures: { answers: formatCounts(ends), 'memory after 4 s, MiB': residentMiB, 'last closed after s': last },
          broken: left > 0 ? [`${left} of 400 connections are still open after ${seconds(started)} s`] : [],
        };
      };
    },
  }),
  stall({
    name: 'sixty sockets that resume and never read',
    ms: 25_000,
    async prepare(arena) {
      const desk = await arena.desk();
      const visitors = await Promise.all(Array.from({ length: 3 }, () => beginConversation(arena.url, desk)));
      const cursor = await readCursor(`${arena.url.replace('http', 'ws')}/ws/agent?token=${desk.token}`);
      const content = 'x'.repeat(19_000);
      for (let batch = 0; batch < 20; batch += 1) {
        const sends = Array.from({ length: 20 }, (_nothing, index) => {
          const { conversationId } = visitors[index % 3]!;
          const body = { content, member_id: desk.memberId };
          return callApi('POST', `${arena.url}/v1/conversations/${conversationId}/messages`, desk.key, body);
        });
        await Promise.all(sends);
      }
      const colleagues = await Promise.all(
        Array.from({ length: 3 }, async () => {
          const body = { email: `${unique('a')}@example.com`, name: 'A', password: PASSWORD };
          await callApi('POST', `${arena.url}/v1/workspace/members`, desk.key, body);
          const session = await callApi('POST', `${arena.url}/v1/auth/login`, undefined, body);
          return session.token as string;
        }),
      );
      const base = `${arena.url.replace('http', 'ws')}/ws/agent`;
      return async over => {
        const ends: StatusCounts = {};
        let peak = 0;
        const before = arena.residentMiB();
        const heapBefore = await arena.heapMiB();
        let maxHeap = 0;
        const sockets = Array.from({ length: 60 }, (_nothing, index) => {
          const socket = open(`${base}?token=${colleagues[index % 3]}&after=${encodeURIComponent(cursor)}`, ends);
          socket.once('open', () => socket.pause());
          return socket;
        });
        for (let looks = 0; !over(); looks += 1) {
          await delay(100);
          peak = Math.max(peak, arena.residentMiB() - before);
          if (looks % 50 === 20) maxHeap = Math.max(maxHeap, (await arena.heapMiB()) - heapBefore);
        }
        const finalHeap = (await arena.heapMiB()) - heapBefore;
        // A paused client learns its close code only when it resumes reading.
        for (const socket of sockets) socket.resume();
        await delay(1_000);
        for (const socket of sockets) socket.terminate();
        return {
          figures: {
            'resident max +MiB': peak,
            'heap max +MiB': maxHeap,
            'heap at the end +MiB': finalHeap,
            ends: formatCounts(ends),
          },
          broken:
            Math.max(maxHeap, finalHeap) > 80
              ? [`${Math.max(maxHeap, finalHeap)} MiB are kept for sockets that do not read`]
              : [],
        };
      };
    },
  }),
  stall({
    name: 'twelve hundred sockets from one address',
    ms: 15_000,
    async prepare(arena) {
      const desk = await arena.desk();
      const visitors: string[] = [];
      for (let index = 0; index < 62; index += 1) visitors.push((await beginConversation(arena.url, desk)).token);
      return async over => {
        const ends: StatusCounts = {};
        const sockets: WebSocket[] = [];
        for (let index = 0; index < 1_200 && !over(); index += 20) {
          const token = visitors[index / 20]!;
          const some = Array.from({ length: 20 }, () =>
            open(`${arena.url.replace('http', 'ws')}/ws/visitor?token=${token}`, ends),
          );
          sockets.push(...some);
          await Promise.all(some.map(socket => new Promise(done => socket.once('open', done).once('close', done))));
        }
        while (!over()) await delay(50);
        const opened = sockets.filter(isOpen).length;
        for (const socket of sockets) socket.terminate();
        return {
          figures: { open: opened, refused: formatCounts(ends) },
          broken: opened > 1_000 ? [`${opened} sockets from one address are open`] : [],
        };
      };
    },
  }),
  stall({
    name: 'one conversation with a locked row, and twenty clients that send to it',
    ms: 25_000,
    async prepare(arena) {
      const desk = await arena.desk();
      const { conversationId } = await beginConversation(arena.url, desk);
      return async over => {
        let backends = 0;
        const answers = await arena.withDatabase(async client => {
          await client.query('BEGIN');
          await client.query('SELECT 1 FROM conversation WHERE id = $1 FOR UPDATE', [conversationId]);
          const url = `${arena.url}/v1/conversations/${conversationId}/messages`;
          const body = { content: 'Hello?', member_id: desk.memberId };
          const send = () =>
            within(
              call('POST', url, { token: desk.key, body }).then(({ status }) => status),
              30_000,
            );
          const sending = flood(20, over, send);
          // in a session of its own: within a transaction, pg_stat_activity stays as it was first read
          await arena.withDatabase(async observer => {
            while (!over()) {
              const sql = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE backend_type = 'client backend'`;
              backends = Math.max(backends, (await observer.query<{ count: number }>(sql)).rows[0]!.count);
              await delay(200);
            }
          });
          await client.query('ROLLBACK');
          return sending;
        });
        return { figures: { answers: formatCounts(answers), 'backends max': backends } };
      };
    },
  }),
  stall({
    name: 'a write transaction that another application of the cluster leaves open',
    prepare: arena =>
      Promise.resolve(over =>
        arena.withDatabase(async client => {
          await client.query('BEGIN');
          await client.query('SELECT pg_current_xact_id()');
          while (!over()) await delay(50);
          const readiness = await call('GET', `${arena.url}/readyz`);
          await client.query('ROLLBACK');
          return { figures: { '/readyz': readiness.status } };
        }, 'postgres'),
      ),
  }),
  stall({
    name: 'messages on the Redis channels that the service did not send',
    needs: ({ redis }) => (redis ? null : 'Redis is not installed'),
    prepare: arena =>
      Promise.resolve(async over => {
        const before = arena.alive.length;
        const channels = await redisCommand(arena.redis!.url, 'PUBSUB CHANNELS *');
        let published = 0;
        while (!over()) {
          for (const channel of channels) {
            for (const word of ['garbage', '{}', 'null', '[]', '[1,2,3]', '[null]', '"x"', '[{"type":7}]']) {
              await redisCommand(arena.redis!.url, `PUBLISH ${channel} ${word.replaceAll('"', '\\"')}`);
              published += 1;
            }
          }
          await delay(500);
        }
        const died = before - arena.alive.length;
        return {
          figures: { published, channels: channels.length, 'instances that died': died },
          broken: died > 0 ? [`${died} instances died`] : [],
        };
      }),
  }),
];

/** Bulk strings of the response to one inline command. */
function redisCommand(url: string, command: string): Promise<string[]> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${command}\r\n`));
    socket.once('error', reject);
    socket.once('data', data => {
      socket.end();
      const lines = data.toString().split('\r\n');
      resolve(lines.filter((_line, index) => lines[index - 1]?.startsWith('$')));
    });
  });
}
