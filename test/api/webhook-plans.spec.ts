import { expect, it, jest } from '@jest/globals';
import type { Statement } from '../../src/platform/database/sql.service.js';
import { SqlService } from '../../src/platform/database/sql.service.js';
import { deliveriesWhen, desk, newWebhook, receiver, world } from '../support/desk-with-webhooks.js';

/** Collects the statements about attempts that the service runs until the result is restored. */
function collectStatements() {
  const texts = new Set<string>();
  const sql = world.app.app.get(SqlService);
  const keep = ({ text }: Statement) =>
    void (['webhook_delivery', 'attempt_count'].every(name => text.includes(name)) && texts.add(text));
  const [rows, first, count] = [sql.rows.bind(sql), sql.first.bind(sql), sql.count.bind(sql)];
  jest.spyOn(sql, 'rows').mockImplementation((statement, ...rest) => (keep(statement), rows(statement, ...rest)));
  jest.spyOn(sql, 'first').mockImplementation((statement, ...rest) => (keep(statement), first(statement, ...rest)));
  jest.spyOn(sql, 'count').mockImplementation((statement, ...rest) => (keep(statement), count(statement, ...rest)));
  return texts;
}

it('An attempt reads and writes its delivery by its key, so that other pending deliveries cost it nothing.', async () => {
  const statements = collectStatements();
  const webhook = await newWebhook(receiver, ['message.created']);
  await Promise.all([1, 2, 3].map(async () => world.conversation(await world.visitor(desk), 'Where is my parcel?')));
  await deliveriesWhen(webhook, all => all.length === 3 && all.every(({ status }) => status === 'delivered'));
  jest.restoreAllMocks();
  const { database } = world.app;
  // as the service's connections do
  await database.query('SET enable_seqscan = off');
  const indexes: string[][] = [];
  for (const text of statements) {
    const plan = await database.query(`EXPLAIN (GENERIC_PLAN) ${text}`);
    indexes.push(JSON.stringify(plan).match(/(?:ix|pk)_webhook_delivery\w*/g) ?? []);
  }
  await database.query('RESET enable_seqscan');
  // the read of one or of several deliveries, and the results
  expect(indexes.length).toBeGreaterThanOrEqual(2);
  expect(indexes).toEqual(indexes.map(() => ['pk_webhook_delivery']));
});
