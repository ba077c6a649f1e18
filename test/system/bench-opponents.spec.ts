import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { bench, itIfInstalled, driveMessages } from '../support/bench.js';
import type { Load } from '../support/bench.js';
import type { TestDatabase } from '../support/database.js';
import { emptyDatabase } from '../support/database.js';

const { opponents } = await bench('opponents/index.js');
const { startLoad } = await bench('load.js');

/** Checks what is measured: an opponent that does not store or deliver would make every comparison worthless. */
describe.each(['by-hand', 'by-hand-best', 'socket-io'])('%s', id => {
  const opponent = opponents[id];
  const played = itIfInstalled(id, opponent);
  const started: { stop(): unknown }[] = [];
  let database: TestDatabase;

  beforeAll(async () => {
    database = await emptyDatabase();
    await database.query(`DO $$ BEGIN
      IF current_setting('server_version_num')::int < 180000 THEN
        CREATE FUNCTION uuidv7() RETURNS uuid LANGUAGE sql AS 'SELECT gen_random_uuid()';
      END IF;
    END $$`);
  });

  afterAll(async () => {
    for (const one of started.reverse()) await one.stop();
    await database.drop();
  });

  played(
    `The opponent ${id} stores each acknowledged message in order and delivers it once to every listener.`,
    async () => {
      if (!opponent) throw new Error(`there is no opponent ${id}`);
      const server = await opponent.start({ postgres: { database: async () => ({ url: database.url, made: true }) } });
      started.push(server);
      const health = (await (await fetch(`http://127.0.0.1:${server.port}/healthz`)).json()) as { instance: string };
      expect(health.instance).toBe(server.runId);
      const load: Load = startLoad();
      started.push(load);
      const { measured, tooFew } = await driveMessages(server, load);
      expect(measured).toMatchObject({ missing: 0, repeated: 0 });
      expect(measured.operations).toBeGreaterThan(10);
      const [stored] = await database.query<object>(`
      SELECT count(*)::int AS messages, count(DISTINCT content)::int AS contents,
             (SELECT sum(last_seq)::int FROM conversation) AS counted,
             (SELECT bool_and(most = times) FROM (
               SELECT max(seq) AS most, count(*) AS times FROM message GROUP BY conversation_id) AS each) AS gapless
      FROM message`);
      const { operations } = measured;
      expect(stored).toEqual({ messages: operations, contents: operations, counted: operations, gapless: true });

      // A missing listener is detected.
      const alone = await tooFew();
      expect(alone.missing).toBe(alone.operations);
    },
  );

  played(`The opponent ${id} refuses a token with a wrong signature.`, async () => {
    const server = started[0] as unknown as Awaited<ReturnType<NonNullable<typeof opponent>['start']>>;
    const load: Load = startLoad();
    started.push(load);
    const [{ sockets } = { sockets: [] }] = server.stage({ conversations: 1, listenersEach: 1 }).conversations;
    const forged = JSON.parse(
      JSON.stringify(sockets).replace(/eyJ[\w-]+\.[\w-]+\.[\w-]+/, 'eyJh.eyJh.eyJh'),
    ) as object[];
    await load.open({ port: server.port, sockets });
    const entering = load.open({ port: server.port, sockets: forged });
    await expect(entering).rejects.toThrow(/refused/);
  });
});
