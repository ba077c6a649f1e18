import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { randomAlphanumeric, randomToken, sha256 } from '../../src/kernel/secret.js';
import { startApp } from '../support/app.js';
import { cloneDatabase, emptyDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { rememberSecrets, rememberPasswords, plantedOnPurpose, secretsIn } from '../support/known-secrets.js';
import { Leaked } from '../support/leaks.js';
import { dedicatedDatabase } from '../support/dedicated-database.js';
import { ServiceProcess } from '../support/service-process.js';
import { jwt } from '../support/tokens.js';
import { WatchedLog } from '../support/watched-log.js';
import { PASSWORD, unique, World } from '../support/world.js';

/** Kinds of secrets that the leak check looks for in every test's databases and logs. */
const SECRETS: Record<string, () => string> = {
  'an API key': () => `svc_sk_${randomAlphanumeric(32)}`,
  'an SSO ticket': () => randomToken('sst_'),
  'an invite': () => randomToken('inv_'),
  'a reset link': () => randomToken('rst_'),
  'an identity secret': () => randomToken('ids_'),
  'a signing secret': () => `whsec_${randomBytes(32).toString('base64')}`,
  'a token': () => jwt({ aud: 'agent', sub: 'somebody' }, 'a secret'),
};
const kinds = Object.entries(SECRETS);

async function leaksOf(work: Promise<unknown>): Promise<string[]> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error === null) return [];
  if (error instanceof Leaked) return error.leaks;
  throw error as Error;
}

describe('The leak check of a database', () => {
  it.each(kinds)('Dropping a database fails if a column of any type has %s', async (kind, make) => {
    const database = await emptyDatabase();
    const secret = make();
    await database.query('CREATE TABLE "Planted one" (id int, text text, json jsonb, bytes bytea, list text[])');
    await database.query(`INSERT INTO "Planted one" VALUES (1, $1), (2, 'nothing')`, [`x=${secret}&y`]);
    await database.query(`INSERT INTO "Planted one" (id, json) VALUES (3, $1)`, [{ a: [{ b: secret }] }]);
    await database.query(`INSERT INTO "Planted one" (id, bytes) VALUES (4, $1)`, [Buffer.from(`--${secret}--`)]);
    await database.query(`INSERT INTO "Planted one" (id, list) VALUES (5, ARRAY['', $1])`, [secret]);
    const leaks = await leaksOf(database.drop());
    const where = ['text', 'json', 'bytes', 'list'].map((column, at) => [column, [1, 3, 4, 5][at]] as const);
    const prefix = secret.slice(0, 11);
    expect(leaks).toEqual(
      where.map(([column, id]) => `"Planted one".${column} stores ${kind}, ${prefix}…, where id = ${id}`),
    );
    expect(leaks.join()).not.toContain(secret.slice(0, 20));
  });

  it.each(kinds)('Dropping a database fails if it has the random part or another encoding of %s', async (_, make) => {
    const secret = make();
    rememberSecrets(JSON.stringify({ data: { secret } }));
    const bare = secret.startsWith('eyJ') ? (secret.split('.')[2] ?? '') : secret.replace(/^(svc_sk|[a-z]+)_/, '');
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      expect(secretsIn(Buffer.from(secret).toString(encoding), true)).not.toEqual([]);
      expect(secretsIn(Buffer.from(bare).toString(encoding), true)).not.toEqual([]);
    }
    const database = await emptyDatabase();
    await database.query('CREATE TABLE planted AS SELECT 7 AS id, $1::text AS text', [bare]);
    expect(await leaksOf(database.drop())).toEqual([expect.stringMatching(/^planted\.text stores .+ where id = 7$/)]);
  });

  it('Dropping a database fails if it has a password that a request sent', async () => {
    const database = await emptyDatabase();
    const [first, second] = [unique('first password'), unique('second password "quoted"')];
    rememberPasswords({ password: first, old_password: second });
    await database.query('CREATE TABLE planted AS SELECT 1 AS id, $1::text AS name', [`Mia ${first}`]);
    await database.query('INSERT INTO planted VALUES (2, $1)', [second]);
    const prefix = [first, second].map(text => `${text.slice(0, Math.floor(text.length / 3)).slice(0, 11)}…`);
    expect(await leaksOf(database.drop())).toEqual(
      [1, 2].map((id, at) => `planted.name stores a password, ${prefix[at]}, where id = ${id}`),
    );
  });

  it('The leak check covers shared databases, and databases with their own server and its log', async () => {
    const [shared, dedicated] = [await cloneDatabase(), await dedicatedDatabase()];
    const app = await startApp({}, { database: shared });
    for (const database of [shared, dedicated]) {
      await database.query('CREATE TABLE planted AS SELECT 1 AS id, $1::text AS text', [SECRETS['an invite']?.()]);
    }
    expect(await leaksOf(app.stop())).toEqual([]);
    expect(await leaksOf(shared.drop())).toEqual([expect.stringContaining('planted.text stores an invite')]);
    expect(await leaksOf(dedicated.drop())).toEqual([expect.stringContaining('planted.text stores an invite')]);
    const careless = await dedicatedDatabase();
    await careless.query(`SELECT 1/0, '${randomToken('rst_')}'`).catch(() => undefined);
    expect(await leaksOf(careless.drop())).toEqual([
      expect.stringMatching(/^the log contains a reset link, .+ SELECT 1\/0/),
    ]);
  });

  it('The leak check allows hashes, prefixes and secrets that a test has planted on purpose', async () => {
    const database = await cloneDatabase();
    await database.query('CREATE TABLE planted (id int, text text)');
    const [typed = '', ...others] = kinds.map(([, make]) => make());
    for (const secret of others) {
      rememberSecrets(secret);
      await database.query('INSERT INTO planted VALUES (1, $1), (2, $2)', [sha256(secret), `${secret.slice(0, 11)}…`]);
    }
    await database.query('INSERT INTO planted VALUES (3, $1)', [plantedOnPurpose(typed)]);
    expect(await leaksOf(database.drop())).toEqual([]);
    expect(secretsIn(typed, false)).toEqual([{ kind: 'an API key', value: typed }]);
  });

  it('The leak check allows a ciphertext that contains the format of a secret by chance', () => {
    for (const [, make] of kinds.filter(([kind]) => kind !== 'a token'))
      expect(secretsIn(`a1.${'B2'.repeat(20)}${make()}`, true)).toEqual([]);
  });
});

describe('The leak check of a service', () => {
  it('Stopping a service fails if an API key is in a contact’s custom attributes', async () => {
    const world = await World.start({ LOG_LEVEL: 'silent' });
    const desk = await world.register();
    const key = (await world.apiKey(desk)).token ?? '';
    const { contactId } = await world.visitor(desk);
    await world.app.database.query(`UPDATE contact SET custom_attributes = $1`, [{ seen: key }]);
    const leak = `contact.custom_attributes stores an API key, ${key.slice(0, 11)}…, where id = ${contactId}`;
    expect(await leaksOf(world.stop())).toEqual([leak]);
  });

  it('Stopping a service fails if a token or password is in its log, even below the log level', async () => {
    const shown: string[] = [];
    const world = await World.start({ LOG_LEVEL: 'warn' }, { log: { write: line => shown.push(line) } });
    const { owner } = await world.register();
    new Logger('Planted').debug(`welcome, ${owner.token}`);
    new Logger('Planted').verbose(`who typed ${PASSWORD}`);
    const leaks = await leaksOf(world.stop());
    expect(leaks).toEqual([
      expect.stringMatching(/^the log contains a token, eyJ\S+…, in: .*"context":"Planted","msg":"welcome, eyJ\S+…"/),
      expect.stringMatching(/^the log contains a password, .+, in: .*"msg":"who typed/),
    ]);
    expect(leaks.join()).not.toContain(owner.token.slice(-43));
    expect(shown).toEqual([]);
  });

  it('Stopping a service fails if its log has its own secrets or a mailed link’s token', async () => {
    const world = await World.start();
    const { owner } = await world.register();
    await world.anyone.post('/v1/auth/password/forgot', { email: owner.email });
    const mail = await eventually(() => world.app.mails.find(({ to }) => to === owner.email));
    const [, link = ''] = /reset=rst_(\S+)/.exec(mail.text) ?? [];
    expect(link).toHaveLength(43);
    new Logger('Planted').log({ address: `#${link}` });
    new Logger('Planted').warn(`signed with ${world.app.config.jwtSecrets[0]?.secret}`);
    expect(await leaksOf(world.stop())).toEqual([
      expect.stringContaining('the log contains a reset link, or a part of it'),
      expect.stringContaining('the log contains a secret of the service'),
    ]);
  });

  it('Stopping a service succeeds after ordinary requests', async () => {
    const world = await World.start();
    const desk = await world.register();
    await world.hire(desk);
    await world.conversation(await world.visitor(desk));
    expect(await leaksOf(world.stop())).toEqual([]);
  });
});

describe('The leak check of a service process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'support-chat-leaks-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function run(program: string): ServiceProcess {
    const entry = join(folder, `${unique('program')}.mjs`);
    writeFileSync(entry, program);
    return ServiceProcess.start({}, { entry });
  }

  it('The end of a service process fails if its output has a secret, whether it exits, is stopped or is killed', async () => {
    const [key = '', ticket = ''] = kinds.map(([, make]) => make());
    const ending = run(
      `console.log('{"msg":"for ${key}"}'); console.error('a stack of ${ticket}'); process.exitCode = 3;`,
    );
    expect((await leaksOf(ending.ended)).sort()).toEqual([
      expect.stringMatching(/^the log contains an API key, svc_sk_\w{4}…, in: {"msg":"for svc_sk_\w{4}…"}$/),
      expect.stringMatching(/^the log contains an SSO ticket, sst_\S{7}…, in: a stack of sst_/),
    ]);
    const killed = run(`console.log('{"msg":"for ${key}"}'); setInterval(() => undefined, 1000);`);
    await killed.waitForLog(/for/);
    expect(await leaksOf(killed.kill())).toHaveLength(1);
    const stopped = run(`console.log('{"msg":"for nobody"}'); setInterval(() => undefined, 1000);`);
    await stopped.waitForLog(/for nobody/);
    expect(await leaksOf(stopped.stop())).toEqual([]);
  });

  it('A service process under test logs at level trace, so that the leak check sees everything', async () => {
    const service = run(`console.log(JSON.stringify({ msg: process.env.LOG_LEVEL }));`);
    await service.ended;
    expect(service.lines.map(({ msg }) => msg)).toEqual(['trace']);
  });
});

describe('WatchedLog', () => {
  it('WatchedLog shows lines from the configured level on', () => {
    const shown: string[] = [];
    const { log } = new WatchedLog('warn', { write: line => shown.push(line) });
    for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const) log[level](`at ${level}`);
    expect(shown.map(line => (JSON.parse(line) as { msg: string }).msg)).toEqual(['at warn', 'at error']);
  });
});
