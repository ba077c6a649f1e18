import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { WebSocket } from 'ws';
import { loadConfig } from '../../src/config/config.js';
import { SqlService, statement } from '../../src/platform/database/sql.service.js';
import { UnitOfWork } from '../../src/platform/database/unit-of-work.js';
import { Service } from '../../src/service.js';
import type { TestApp } from '../support/app.js';
import { startApp } from '../support/app.js';
import type { TestDatabase } from '../support/database.js';
import { emptyDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { callApi, beginConversation, ResumingListener, openDesk } from '../support/outside.js';
import { PgBouncer, pgbouncerVersion } from '../support/pgbouncer.js';
import { race } from '../support/race.js';
import { call } from '../support/service-process.js';
import { WatchedLog } from '../support/watched-log.js';

const version = pgbouncerVersion();
/** PgBouncer supports named statements since 1.21, if it is configured to. */
const supportsPrepared = version !== null && (version[0] > 1 || version[1] >= 21);
if (version === null) reportSkipped('PgBouncer is not installed; apt-get install pgbouncer');
else if (!supportsPrepared) reportSkipped(`PgBouncer ${version.join('.')} does not support named statements`);

function reportSkipped(reason: string): void {
  process.stderr.write(`skipped: behind PgBouncer, because ${reason}\n`);
}

const OFF = supportsPrepared ? ['max_prepared_statements = 0'] : [];
const SECRET = 'one more secret for nothing but tests';

(version === null ? describe.skip : describe)('Behind PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  let bouncer: PgBouncer | undefined;
  const services: Service[] = [];
  const listeners: ResumingListener[] = [];
  let watched: WatchedLog | undefined;
  let folder: string;
  beforeEach(async () => {
    database = await emptyDatabase();
    folder = mkdtempSync(join(tmpdir(), 'support-chat-data-'));
  });
  afterEach(async () => {
    for (const listener of listeners.splice(0)) listener.close();
    await Promise.all(services.splice(0).map(service => service.stop()));
    await bouncer?.stop();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
    bouncer = undefined;
    watched?.assertNoSecrets();
    watched = undefined;
  });

  async function start(settings: readonly string[], env: Record<string, string>): Promise<string> {
    bouncer ??= await PgBouncer.before(database.url, settings);
    const config = loadConfig({
      NODE_ENV: 'test',
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: bouncer.url,
      DATABASE_DIRECT_URL: database.url,
      DATA_DIR: folder,
      BCRYPT_COST: '4',
      JWT_SECRETS: SECRET,
      ENCRYPTION_KEYS: SECRET,
      ...env,
    });
    watched ??= new WatchedLog(process.env.TEST_LOG_LEVEL ?? 'silent');
    const service = new Service(config, watched.log);
    services.push(service);
    return service.start();
  }

  it('The service falls back to unnamed statements behind PgBouncer without failing a request.', async () => {
    await assertServiceWorks(await start(OFF, {}));
  });

  it('The service works behind PgBouncer with named statements disabled from the start.', async () => {
    await assertServiceWorks(await start(OFF, { DATABASE_PREPARED: 'off' }));
  });

  it("Two instances behind PgBouncer with fewer connections than their pools migrate, deliver each other's messages from the event log, resume sockets and stop.", async () => {
    const narrow = [...OFF, 'default_pool_size = 2'];
    bouncer = await PgBouncer.before(database.url, narrow);
    const [one = '', other = ''] = await race(2, () => start(narrow, { DATABASE_POOL_SIZE: '10' }));
    const desk = await openDesk(one);
    const conversation = await beginConversation(other, desk);
    const agent = await ResumingListener.agent(one, desk.token);
    const page = await ResumingListener.visitor(other, conversation.token);
    listeners.push(agent, page);
    const path = `/conversations/${conversation.conversationId}/messages`;
    const sendMessage = (content: string, index: number): Promise<Json> =>
      index % 2
        ? callApi('POST', `${one}/v1${path}`, desk.token, { content })
        : callApi('POST', `${other}/v1/widget${path}`, conversation.token, { content });

    const seqs = await race(40, async index => (await sendMessage(`at once ${index}`, index)).seq as number);
    expect(seqs.sort((a, b) => a - b)).toEqual([...Array(40).keys()].map(index => index + 2));
    // In order, both on the instance that got the message and on the other, which reads it from the event log.
    const receivedSeqs = (listener: ResumingListener) =>
      listener.events.filter(({ type }) => type === 'message.created').map(({ data }) => data.message.seq as number);
    for (const listener of [agent, page]) {
      await eventually(() => receivedSeqs(listener).includes(41) || undefined, 10_000);
      expect(receivedSeqs(listener).slice(-40)).toEqual(seqs);
    }

    agent.cut();
    await race(6, index => sendMessage(`while away ${index}`, index));
    await agent.waitForFrame(({ type }) => type === 'resumed');
    await eventually(() => receivedSeqs(agent).includes(47) || undefined, 10_000);
    expect(receivedSeqs(agent).slice(-46)).toEqual([...Array(46).keys()].map(index => index + 2));

    await services[0]?.stop();
    await services[1]?.stop();
    for (const listener of [agent, page]) {
      await eventually(() => listener.ends.find(({ code }) => code === 1012));
    }
    services.length = 0;
  });

  (supportsPrepared ? it : it.skip)(
    'Named statements stay enabled behind a PgBouncer that supports them.',
    async () => {
      await assertServiceWorks(await start(['max_prepared_statements = 100'], { DATABASE_PREPARED: 'on' }));
    },
  );
});

describe('A session that has lost its named statements, as behind a pooler', () => {
  const ONE = statement('SELECT 1 AS one');
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp({ DATABASE_POOL_SIZE: '4' });
  });
  afterEach(() => app.stop());

  it('A unit of work that meets a lost named statement is retried without names.', async () => {
    const units = app.app.get(UnitOfWork);
    const sql = app.app.get(SqlService);
    let attempts = 0;
    const found = await units.run(async () => {
      attempts += 1;
      await sql.first(ONE);
      await units.manager.query('DEALLOCATE ALL');
      return sql.first(ONE);
    });
    expect(found).toEqual({ one: 1 });
    expect(attempts).toBe(2);
  });

  it('Concurrent statements that meet a lost named statement all succeed.', async () => {
    const sql = app.app.get(SqlService);
    const source = app.app.get(DataSource);
    const slow = statement('SELECT 1 AS one, pg_sleep(0.05)::text AS pause');
    await race(4, () => sql.first(slow));
    await race(4, () => source.query('DEALLOCATE ALL; SELECT pg_sleep(0.05)'));
    const answers = await race(4, () => sql.first<{ one: number }>(slow));
    expect(answers.map(answer => answer?.one)).toEqual([1, 1, 1, 1]);
  });
});

/**
 * Registers a workspace, starts conversations concurrently, answers in each, and checks that the agent's socket
 * receives every message.
 */
async function assertServiceWorks(url: string): Promise<void> {
  const callOk = async (method: string, path: string, token?: string, body?: unknown): Promise<Json> => {
    const answer = await call(method, url + path, { ...(token ? { token } : {}), ...(body ? { body } : {}) });
    expect([path, answer.status, answer.body]).toEqual([
      path,
      expect.any(Number),
      expect.objectContaining({ ok: true }),
    ]);
    return answer.body.data as Json;
  };
  const owner = {
    workspace_name: 'Desk',
    name: 'Olivia Owner',
    email: 'olivia@example.com',
    password: 'correct horse',
  };
  const { token } = await callOk('POST', '/v1/auth/register', undefined, owner);
  const [channel] = (await callOk('GET', '/v1/channels', token)).items;
  const frames: Json[] = [];
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/agent?token=${token}`);
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString())));
  await eventually(() => frames.find(({ type }) => type === 'connected'));

  const conversations = await race(8, async index => {
    const session = await callOk('POST', '/v1/widget/session', undefined, { widget_token: channel.widget_token });
    const begun = { message: { content: `Hello from ${index}` } };
    const started = await callOk('POST', '/v1/widget/conversations', session.visitor_token, begun);
    const id = started.conversation.id as string;
    await race(3, more => callOk('POST', `/v1/conversations/${id}/messages`, token, { content: `Answer ${more}` }));
    const { items } = await callOk('GET', `/v1/widget/conversations/${id}/messages`, session.visitor_token);
    expect(items.map(({ seq }: Json) => seq).sort()).toEqual([1, 2, 3, 4]);
    return id;
  });
  const written = () => frames.filter(({ type }) => type === 'message.created');
  await eventually(() => (written().length === 4 * conversations.length ? true : undefined));
  const readiness = await call('GET', `${url}/readyz`);
  expect([readiness.status, readiness.body.status]).toEqual([200, 'ready']);
  socket.terminate();
}
