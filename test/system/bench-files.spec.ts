import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { bench } from '../support/bench.js';
import type { TestDatabase } from '../support/database.js';
import { emptyDatabase } from '../support/database.js';
import { ensureBuilt } from '../support/service-process.js';

const { opponents } = await bench('opponents/index.js');
const { startLoad } = await bench('load.js');
const { default: scenario } = await bench('scenarios/s16-files.js');

const FILE_BYTES = 256 * 1024;

/** Checks what is measured: a server that does not store what it has acknowledged would make the comparison worthless. */
describe.each(scenario.opponents)('%s', id => {
  const folder = mkdtempSync(join(tmpdir(), 'support-chat-bench-'));
  const started: { stop(): unknown }[] = [];
  let database: TestDatabase;
  beforeAll(async () => {
    ensureBuilt();
    database = await emptyDatabase();
  });
  afterAll(async () => {
    for (const one of started.reverse()) await one.stop();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it(`The opponent ${id} takes files under load, and gives back the whole file that it has acknowledged.`, async () => {
    const postgres = { database: async () => ({ url: database.url, made: true }) };
    const server = await opponents[id]!.start({ postgres, folder, desks: {} } as never);
    started.push(server);
    const load = startLoad();
    started.push(load);
    for (const name of ['upload', 'download']) {
      const targets = await scenario.enter({ server }, {}, { name });
      const drive = { port: server.port, targets, connections: 4, seconds: 0.3, listenersEach: 0, watched: {} };
      expect((await load.drive(drive)).operations).toBeGreaterThan(3);
    }
    const [target] = await scenario.enter({ server }, {}, { name: 'download' });
    const answer = await supertest(`http://127.0.0.1:${server.port}`)
      .get(target!.path)
      .buffer(true)
      .responseType('blob');
    expect([answer.status, (answer.body as Buffer).length >= FILE_BYTES]).toEqual([200, true]);
  });
});
