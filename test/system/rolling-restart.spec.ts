import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SCHEMA } from '../../src/app.module.js';
import { migrate } from '../../src/platform/database/migrate.js';
import type { TestDatabase } from '../support/database.js';
import { emptyDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import type { BalancerName } from '../support/fleet.js';
import { Fleet, hasFleetBehind } from '../support/fleet.js';
import type { OutsideDesk } from '../support/outside.js';
import { callApi, beginConversation, ResumingListener, openDesk, sendUntilAccepted } from '../support/outside.js';
import { race } from '../support/race.js';
import { call, ensureBuilt, ServiceProcess } from '../support/service-process.js';
import { PASSWORD, unique } from '../support/world.js';

jest.setTimeout(120_000);

const DRAIN_SECONDS = 2;
const all = SCHEMA.migrations as (new () => object)[];

const SOCKETS = 40;
const PER_MEMBER = 5;
/** Generous: clients reconnect within a second. */
const ALL_BACK_MS = 20_000;

describe.each<BalancerName>(['nginx', 'haproxy'])('A rolling restart behind %s', name => {
  (hasFleetBehind(name) ? describe : describe.skip)('while visitors write and agents listen on 40 sockets', () => {
    let fleet: Fleet;
    let desk: OutsideDesk;
    const agents: ResumingListener[] = [];
    beforeAll(async () => {
      fleet = await Fleet.start({ env: { DRAIN_SECONDS: String(DRAIN_SECONDS) }, balancer: name });
      desk = await openDesk(fleet.url);
    }, 240_000);
    afterAll(async () => {
      for (const agent of agents) agent.close();
      expect(fleet.complaints).toEqual([]);
      await fleet.stop();
    });

    /** Signs a new colleague in and opens this many sockets. */
    async function openSockets(count: number): Promise<ResumingListener[]> {
      const member = { email: `${unique('agent')}@example.com`, name: 'Adam', password: PASSWORD };
      await callApi('POST', `${fleet.url}/v1/workspace/members`, desk.key, member);
      const { token } = await callApi('POST', `${fleet.url}/v1/auth/login`, undefined, member);
      return race(count, () => ResumingListener.agent(fleet.url, token as string));
    }

    /** Restarts an instance as an operator does: SIGTERM, wait for the exit, start, wait for the balancer. */
    async function replace(index: number): Promise<void> {
      const { child, ended } = fleet.instance(index);
      child.kill('SIGTERM');
      expect(await ended).toEqual({ code: 0, signal: null });
      const before = fleet.balancer.logs.length;
      await fleet.run(index);
      const { host } = new URL(fleet.at(index));
      await eventually(() => fleet.balancer.logs.slice(before).includes(` ${host} 200 `) || undefined, 20_000);
    }

    const closed = () => agents.filter(({ isOpen }) => !isOpen).length;

    it('A rolling restart of both instances refuses no handshake, brings all 40 sockets back, and loses and repeats no message.', async () => {
      // a test that is repeated begins with new sockets
      for (const agent of agents.splice(0)) agent.close();
      agents.push(...(await race(SOCKETS / PER_MEMBER, () => openSockets(PER_MEMBER))).flat());
      const conversations = await race(6, () => beginConversation(fleet.url, desk));
      const logsBefore = fleet.balancer.logs.length;
      let over = false;
      const refusals: string[] = [];
      const reads: number[] = [];
      const acknowledged = new Map<string, string>();
      const writing = conversations.map(async (conversation, index) => {
        for (let count = 0; !over; count += 1) {
          const content = `${index}-${count}`;
          const recordRefusal = (...why: unknown[]) => void refusals.push(why.join());
          const message = await sendUntilAccepted(() => fleet.url, conversation, content, recordRefusal);
          acknowledged.set(content, message.id as string);
          await new Promise(resolve => setTimeout(resolve, 25));
        }
      });
      const reading = race(2, async () => {
        while (!over) {
          reads.push((await call('GET', `${fleet.url}/v1/conversations`, { token: desk.token })).status);
          await new Promise(resolve => setTimeout(resolve, 25));
        }
      });

      const spreads: number[][] = [];
      try {
        for (const index of [0, 1]) {
          const before = agents.map(({ ends }) => ends.length);
          const startedAt = performance.now();
          await replace(index);
          const ends = agents.flatMap((agent, at) => agent.ends.slice(before[at]));
          spreads.push(ends.map(({ at }) => at - startedAt).sort((a, b) => a - b));
        }
        await eventually(() => (closed() === 0 ? true : undefined), ALL_BACK_MS).catch(() => undefined);
        expect(closed()).toBe(0);
      } finally {
        over = true;
        await Promise.all([...writing, reading]);
      }
      expect(agents.flatMap(agent => agent.refusals)).toEqual([]);
      expect(new Set(agents.flatMap(({ ends }) => ends.map(({ code }) => code)))).toEqual(new Set([1012]));

      // Reads are retried on the other instance; writes may have to be sent again.
      const logs = fleet.balancer.logs.slice(logsBefore).split('\n');
      const failedReads = logs.filter(line => /"GET \/v1\/conversations" 5\d\d /.test(line));
      expect([new Set(reads), failedReads]).toEqual([new Set([200]), []]);
      expect(refusals.filter(refusal => refusal !== '503,1,unavailable')).toEqual([]);
      for (const times of spreads) {
        expect(times.length).toBeGreaterThan(4);
        // On a busy machine a client may hear late of its end, and never early.
        const drainMs = DRAIN_SECONDS * 1_000;
        expect(times.at(-1)).toBeGreaterThan(drainMs * (1 - 2 / times.length));
        expect(times[Math.floor(times.length / 2)]).toBeGreaterThan(drainMs * 0.4);
        expect(times[Math.floor(times.length / 4)]).toBeLessThan(drainMs * 0.75);
      }

      const stored = await fleet.database.query<{ id: string; content: string }>(
        'SELECT id, content FROM message WHERE client_message_id IS NOT NULL AND conversation_id = ANY($1)',
        [conversations.map(({ conversationId }) => conversationId)],
      );
      expect(new Map(stored.map(({ id, content }) => [content, id]))).toEqual(acknowledged);
      expect(stored).toHaveLength(acknowledged.size);
      const totals = `${acknowledged.size} messages, ${reads.length} reads, ${refusals.length} refusals`;
      for (const agent of agents) {
        await eventually(
          () => acknowledged.size + conversations.length <= agent.messages().length || undefined,
          60_000,
        ).catch(() => {
          throw new Error(`of ${totals} one listener received ${agent.messages().length}; ${agent.describeState()}`);
        });
        for (const [index, { conversationId }] of conversations.entries()) {
          const written = [...acknowledged.keys()].filter(content => content.startsWith(`${index}-`));
          expect(agent.messages(conversationId)).toEqual(['Hello?', ...written]);
        }
      }
    });
  });
});

describe('Two instances that start at once', () => {
  let database: TestDatabase;
  const running: ServiceProcess[] = [];
  beforeAll(() => ensureBuilt(), 180_000);
  beforeEach(async () => {
    database = await emptyDatabase();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map(service => service.kill()));
    await database.drop();
  });

  it.each([
    ['an empty database', 0],
    ['a database of an older version', 1],
  ])('Two instances that start at once on %s migrate it once, and both serve it.', async (_case, done) => {
    await migrate(database.url, { ...SCHEMA, migrations: all.slice(0, done) }, () => undefined);
    running.push(...[1, 2].map(() => ServiceProcess.start({ DATABASE_URL: database.url })));
    const [one = '', other = ''] = await Promise.all(running.map(service => service.url(60_000)));
    const ran = running.flatMap(({ lines }) => lines.filter(({ msg }) => msg.startsWith('migrated: ')));
    expect(ran.map(({ msg }) => msg.replace('migrated: ', ''))).toEqual(all.slice(done).map(({ name }) => name));
    const desk = await openDesk(one);
    expect((await callApi('GET', `${other}/v1/auth/me`, desk.token)).member.id).toBe(desk.memberId);
    for (const url of [one, other])
      expect((await call('GET', `${url}/readyz`)).body).toMatchObject({ status: 'ready', migrations: 'ok' });
  });
});
