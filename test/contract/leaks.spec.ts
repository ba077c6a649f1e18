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
import { given, givenIn, plantedOnPurpose, secretsIn } from '../support/given-secrets.js';
import { Leaked } from '../support/leaks.js';
import { ownDatabase } from '../support/own-database.js';
import { ServiceProcess } from '../support/service-process.js';
import { jwt } from '../support/tokens.js';
import { WatchedLog } from '../support/watched-log.js';
import { PASSWORD, unique, World } from '../support/world.js';

/** Every spec file is looked through for these: its databases when they are dropped, its logs when its services end. */
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

describe('a database that is dropped', () => {
  it.each(kinds)('may not hold %s, in a column of any type', async (what, make) => {
    const database = await emptyDatabase();
    const secret = make();
    await database.query('CREATE TABLE "Planted one" (id int, text text, json jsonb, bytes bytea, list text[])');
    await database.query(`INSERT INTO "Planted one" VALUES (1, $1), (2, 'nothing')`, [`x=${secret}&y`]);
    await database.query(`INSERT INTO "Planted one" (id, json) VALUES (3, $1)`, [{ a: [{ b: secret }] }]);
    await database.query(`INSERT INTO "Planted one" (id, bytes) VALUES (4, $1)`, [Buffer.from(`--${secret}--`)]);
    await database.query(`INSERT INTO "Planted one" (id, list) VALUES (5, ARRAY['', $1])`, [secret]);
    const leaks = await leaksOf(database.drop());
    const where = ['text', 'json', 'bytes', 'list'].map((column, at) => [column, [1, 3, 4, 5][at]] as const);
    const begun = secret.slice(0, 11);
    expect(leaks).toEqual(
      where.map(([column, id]) => `"Planted one".${column} holds ${what}, ${begun}…, where id = ${id}`),
    );
    expect(leaks.join()).not.toContain(secret.slice(0, 20));
  });

  it.each(kinds)('may not hold what %s that was given out consists of, nor another writing of it', async (_, make) => {
    const secret = make();
    given(JSON.stringify({ data: { secret } }));
    const bare = secret.startsWith('eyJ') ? (secret.split('.')[2] ?? '') : secret.replace(/^(svc_sk|[a-z]+)_/, '');
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      expect(secretsIn(Buffer.from(secret).toString(encoding), true)).not.toEqual([]);
      expect(secretsIn(Buffer.from(bare).toString(encoding), true)).not.toEqual([]);
    }
    const database = await emptyDatabase();
    await database.query('CREATE TABLE planted AS SELECT 7 AS id, $1::text AS text', [bare]);
    expect(await leaksOf(database.drop())).toEqual([expect.stringMatching(/^planted\.text holds .+ where id = 7$/)]);
  });

  it('may not hold a password that was sent, whoever sent it', async () => {
    const database = await emptyDatabase();
    const [first, second] = [unique('first password'), unique('second password "quoted"')];
    givenIn({ password: first, old_password: second });
    await database.query('CREATE TABLE planted AS SELECT 1 AS id, $1::text AS name', [`Mia ${first}`]);
    await database.query('INSERT INTO planted VALUES (2, $1)', [second]);
    const begun = [first, second].map(text => `${text.slice(0, Math.floor(text.length / 3)).slice(0, 11)}…`);
    expect(await leaksOf(database.drop())).toEqual(
      [1, 2].map((id, at) => `planted.name holds a password, ${begun[at]}, where id = ${id}`),
    );
  });

  it('may be one that services shared, or one in a server of its own, whose log is looked through as well', async () => {
    const [shared, own] = [await cloneDatabase(), await ownDatabase()];
    const app = await startApp({}, { database: shared });
    for (const database of [shared, own]) {
      await database.query('CREATE TABLE planted AS SELECT 1 AS id, $1::text AS text', [SECRETS['an invite']?.()]);
    }
    expect(await leaksOf(app.stop())).toEqual([]);
    expect(await leaksOf(shared.drop())).toEqual([expect.stringContaining('planted.text holds an invite')]);
    expect(await leaksOf(own.drop())).toEqual([expect.stringContaining('planted.text holds an invite')]);
    const careless = await ownDatabase();
    await careless.query(`SELECT 1/0, '${randomToken('rst_')}'`).catch(() => undefined);
    expect(await leaksOf(careless.drop())).toEqual([
      expect.stringMatching(/^the log has a reset link, .+ SELECT 1\/0/),
    ]);
  });

  it('may hold hashes, beginnings, and what looks like a secret because somebody typed it, and said so', async () => {
    const database = await cloneDatabase();
    await database.query('CREATE TABLE planted (id int, text text)');
    const [typed = '', ...others] = kinds.map(([, make]) => make());
    for (const secret of others) {
      given(secret);
      await database.query('INSERT INTO planted VALUES (1, $1), (2, $2)', [sha256(secret), `${secret.slice(0, 11)}…`]);
    }
    await database.query('INSERT INTO planted VALUES (3, $1)', [plantedOnPurpose(typed)]);
    expect(await leaksOf(database.drop())).toEqual([]);
    expect(secretsIn(typed, false)).toEqual([{ what: 'an API key', value: typed }]);
  });
});

describe('a service that a test stops', () => {
  it('is red for a raw key among somebody’s custom attributes', async () => {
    const world = await World.start({ LOG_LEVEL: 'silent' });
    const desk = await world.desk();
    const key = (await world.apiKey(desk)).token ?? '';
    const { contactId } = await world.visitor(desk);
    await world.app.database.query(`UPDATE contact SET custom_attributes = $1`, [{ seen: key }]);
    const leak = `contact.custom_attributes holds an API key, ${key.slice(0, 11)}…, where id = ${contactId}`;
    expect(await leaksOf(world.stop())).toEqual([leak]);
  });

  it('is red for a token in a line of its log that nobody was shown', async () => {
    const shown: string[] = [];
    const world = await World.start({ LOG_LEVEL: 'warn' }, { log: { write: line => shown.push(line) } });
    const { owner } = await world.desk();
    new Logger('Planted').debug(`welcome, ${owner.token}`);
    new Logger('Planted').verbose(`who typed ${PASSWORD}`);
    const leaks = await leaksOf(world.stop());
    expect(leaks).toEqual([
      expect.stringMatching(/^the log has a token, eyJ\S+…, in: .*"context":"Planted","msg":"welcome, eyJ\S+…"/),
      expect.stringMatching(/^the log has a password, .+, in: .*"msg":"who typed/),
    ]);
    expect(leaks.join()).not.toContain(owner.token.slice(-43));
    expect(shown).toEqual([]);
  });

  it('is red for its own secrets, and for what it told of a mailed link', async () => {
    const world = await World.start();
    const { owner } = await world.desk();
    await world.anyone.post('/v1/auth/password/forgot', { email: owner.email });
    const mail = await eventually(() => world.app.mails.find(({ to }) => to === owner.email));
    const [, link = ''] = /reset=rst_(\S+)/.exec(mail.text) ?? [];
    expect(link).toHaveLength(43);
    new Logger('Planted').log({ address: `#${link}` });
    new Logger('Planted').warn(`signed with ${world.app.config.jwtSecrets[0]?.secret}`);
    expect(await leaksOf(world.stop())).toEqual([
      expect.stringContaining('the log has a reset link, or what it consists of'),
      expect.stringContaining('the log has a secret of the service'),
    ]);
  });

  it('is green after an ordinary day', async () => {
    const world = await World.start();
    const desk = await world.desk();
    await world.colleague(desk);
    await world.conversation(await world.visitor(desk));
    expect(await leaksOf(world.stop())).toEqual([]);
  });
});

describe('a service in a process of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'support-chat-leaks-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function run(program: string): ServiceProcess {
    const entry = join(folder, `${unique('program')}.mjs`);
    writeFileSync(entry, program);
    return ServiceProcess.start({}, { entry });
  }

  it('is red for a secret in a line of its log or in a word beside it, however it ends', async () => {
    const [key = '', ticket = ''] = kinds.map(([, make]) => make());
    const ending = run(
      `console.log('{"msg":"for ${key}"}'); console.error('a stack of ${ticket}'); process.exitCode = 3;`,
    );
    expect((await leaksOf(ending.ended)).sort()).toEqual([
      expect.stringMatching(/^the log has an API key, svc_sk_\w{4}…, in: {"msg":"for svc_sk_\w{4}…"}$/),
      expect.stringMatching(/^the log has an SSO ticket, sst_\S{7}…, in: a stack of sst_/),
    ]);
    const killed = run(`console.log('{"msg":"for ${key}"}'); setInterval(() => undefined, 1000);`);
    await killed.waitForLog(/for/);
    expect(await leaksOf(killed.kill())).toHaveLength(1);
    const stopped = run(`console.log('{"msg":"for nobody"}'); setInterval(() => undefined, 1000);`);
    await stopped.waitForLog(/for nobody/);
    expect(await leaksOf(stopped.stop())).toEqual([]);
  });

  it('writes its log at the finest level, so that there is something to look through', async () => {
    const service = run(`console.log(JSON.stringify({ msg: process.env.LOG_LEVEL }));`);
    await service.ended;
    expect(service.lines.map(({ msg }) => msg)).toEqual(['trace']);
  });
});

describe('a log that is watched', () => {
  it('is heard from the level that was asked for, and kept from the finest', () => {
    const heard: string[] = [];
    const { log } = new WatchedLog('warn', { write: line => heard.push(line) });
    for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const) log[level](`at ${level}`);
    expect(heard.map(line => (JSON.parse(line) as { msg: string }).msg)).toEqual(['at warn', 'at error']);
  });
});
