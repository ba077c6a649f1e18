import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CipherService } from '../../src/platform/encryption/cipher.service.js';
import { KeyRotationService } from '../../src/platform/encryption/key-rotation.service.js';
import { needsMissingKey, printKeyUse } from '../../src/platform/encryption/key-use.js';
import { cloneDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { lockRowByUpdate } from '../support/blocking-transaction.js';
import { race } from '../support/race.js';
import { ServiceProcess, ensureBuilt } from '../support/service-process.js';
import { jwt } from '../support/tokens.js';
import type { Desk } from '../support/world.js';
import { unique, World } from '../support/world.js';

const OLD = 'the first encryption key that only these tests use';
const NEW = 'the second encryption key that only these tests use';

const worlds: World[] = [];
const databases: TestDatabase[] = [];
let database: TestDatabase;
beforeEach(async () => {
  database = await cloneDatabase();
  databases.push(database);
});
afterAll(async () => {
  for (const world of worlds) await world.stop();
  for (const used of databases) await used.drop();
});

/** Starts an instance on the test's database with these keys. */
async function instance(ENCRYPTION_KEYS: string, lines: string[] = []): Promise<World> {
  const log = { write: (line: string) => void lines.push(line) };
  const world = await World.start({ ENCRYPTION_KEYS, LOG_LEVEL: 'error' }, { database, log });
  worlds.push(world);
  return world;
}

/** Rotates and returns the key report that an operator reads. */
async function rotate(world: World, log: (line: string) => void = () => undefined): Promise<string[]> {
  await rotationOf(world).run(log);
  return keyUse(world);
}

async function keyUse(world: World): Promise<string[]> {
  return printKeyUse(await rotationOf(world).findKeyUses(), keyIds(world));
}

function rotationOf(world: World): KeyRotationService {
  return world.app.app.get(KeyRotationService, { strict: false });
}

function keyIds(world: World): string[] {
  return world.app.config.encryptionKeys.map(({ id }) => id);
}

/** A channel with its identity secret. */
async function channelWithSecret(desk: Desk) {
  const { data } = await desk.owner.api.post('/v1/channels', { name: unique('Shop') });
  return { id: data.id as string, widgetToken: data.widget_token as string, secret: data.identity_secret as string };
}

/** Opens a session with an identity token, which requires the channel's secret. */
function prove(world: World, { widgetToken, secret }: { widgetToken: string; secret: string }) {
  const exp = Math.floor(Date.now() / 1000) + 600;
  const identity_token = jwt({ sub: 'user-1', exp }, secret);
  return world.anyone.post('/v1/widget/session', { widget_token: widgetToken, external_id: 'user-1', identity_token });
}

async function botSecretIn(world: World, id: string): Promise<string> {
  const [bot] = await database.query<{ secret: string }>('SELECT secret FROM bot WHERE id = $1', [id]);
  return world.app.app.get(CipherService).decrypt(bot?.secret ?? '', 'bot.secret');
}

const SECRETS =
  'secrets of bots (1), previous secrets of bots (1), identity secrets of channels (3), secrets of webhooks (1), previous secrets of webhooks (1)';

describe('Rotating the encryption keys', () => {
  it('Key rotation rewrites every secret under the newest key and reports when the old key can be removed.', async () => {
    const before = await instance(OLD);
    const desk = await before.register();
    const channel = await channelWithSecret(desk);
    const made = (await desk.owner.api.post('/v1/bots', { name: 'Bo' })).data;
    const bot = (await desk.owner.api.post(`/v1/bots/${made.id}/rotate-secret`)).data;
    const webhook = (await desk.owner.api.post('/v1/webhooks', { url: 'https://93.184.215.14/', events: ['*'] })).data;
    await desk.owner.api.post(`/v1/webhooks/${webhook.id}/rotate-secret`);
    await desk.owner.api.post('/v1/channels', { name: 'Kept' }, { 'Idempotency-Key': unique('idem') });

    const both = await instance(`${NEW},${OLD}`);
    const [newest, old] = keyIds(both);
    expect(await keyUse(both)).toEqual([
      `key 1 of ENCRYPTION_KEYS (${newest}) encrypts; it holds nothing yet`,
      `key 2 of ENCRYPTION_KEYS (${old}) holds ${SECRETS}, kept answers (1); leave it`,
    ]);
    expect(await rotate(both)).toEqual([
      `key 1 of ENCRYPTION_KEYS (${newest}) encrypts; it holds ${SECRETS}`,
      `key 2 of ENCRYPTION_KEYS (${old}) holds kept answers (1); leave it for another 24 hours`,
    ]);
    await database.query(`UPDATE kept_answer SET created_at = created_at - interval '25 hours'`);
    expect((await keyUse(both))[1]).toBe(`key 2 of ENCRYPTION_KEYS (${old}) holds nothing; it can be taken out`);

    const after = await instance(NEW);
    expect((await prove(after, channel)).data.contact.verified).toBe(true);
    expect(await botSecretIn(after, bot.id as string)).toBe(bot.secret);
    expect(needsMissingKey(await rotationOf(after).findKeyUses(), keyIds(after))).toBe(false);
  });

  it('Key rotation does not change what the owner sees.', async () => {
    const both = await instance(`${NEW},${OLD}`);
    const desk = await (await instance(OLD)).register();
    const seen = async () => (await both.as(desk.owner.token).get(`/v1/channels/${desk.channelId}`)).data;
    const before = await seen();
    await rotate(both);
    expect(await seen()).toEqual(before);
  });

  it('Key rotation rewrites nothing on a second run.', async () => {
    await (await instance(OLD)).register();
    const both = await instance(`${NEW},${OLD}`);
    expect(await rotationOf(both).run(() => undefined)).toBe(1);
    expect(await rotationOf(both).run(() => undefined)).toBe(0);
  });

  it('Key rotation that was interrupted continues with the next batch.', async () => {
    const before = await instance(OLD);
    const desk = await before.register();
    await desk.owner.api.post('/v1/bots', { name: 'Bo' });
    await database.query(
      `INSERT INTO bot (workspace_id, id, kind, name, secret)
       SELECT workspace_id, gen_random_uuid(), kind, name, secret FROM bot, generate_series(1, 449)
       WHERE secret IS NOT NULL`,
    );
    const both = await instance(`${NEW},${OLD}`);
    const stopped = rotationOf(both).run(() => {
      throw new Error('stopped');
    });
    await expect(stopped).rejects.toThrow('stopped');
    const lines: string[] = [];
    expect(await rotationOf(both).run(line => void lines.push(line))).toBe(251);
    expect(lines).toEqual([
      'secrets of bots: 200 rewritten',
      'secrets of bots: 250 rewritten',
      'identity secrets of channels: 1 rewritten',
    ]);
  });

  it('Key rotation does not restore a secret that its owner replaces meanwhile.', async () => {
    const before = await instance(OLD);
    const channel = await channelWithSecret(await before.register());
    const both = await instance(`${NEW},${OLD}`);
    const replaced = both.app.app.get(CipherService).encrypt('ids_replaced', 'channel.identity_secret');
    const owner = await lockRowByUpdate(database, 'channel', channel.id, `identity_secret = '${replaced}'`);
    const rotating = rotate(both);
    await owner.awaited();
    await owner.commit();
    await rotating;
    expect((await prove(both, channel)).error.code).toBe('identity_invalid');
    expect((await prove(both, { ...channel, secret: 'ids_replaced' })).data.contact.verified).toBe(true);
  });

  it('Two key rotations can run at once while owners replace their secrets.', async () => {
    const before = await instance(OLD);
    const desk = await before.register();
    const channels = await race(6, () => channelWithSecret(desk));
    const [one, other] = [await instance(`${NEW},${OLD}`), await instance(`${NEW},${OLD}`)];
    const [, , ...answers] = await Promise.all([
      rotate(one),
      rotate(other),
      ...channels
        .slice(0, 3)
        .map(({ id }) => one.as(desk.owner.token).post(`/v1/channels/${id}/rotate-identity-secret`)),
    ]);
    const secrets = answers.map(answer => (answer as { data: { identity_secret: string } }).data.identity_secret);
    const after = await instance(NEW);
    for (const [index, channel] of channels.entries()) {
      const secret = secrets[index] ?? channel.secret;
      expect([index, (await prove(after, { ...channel, secret })).status]).toEqual([index, 200]);
    }
  });
});

describe('An encryption key that was removed too early', () => {
  it('A removed key fails only the requests that need it, and is logged; rotation leaves those secrets for its return.', async () => {
    const before = await instance(OLD);
    const desk = await before.register();
    const channel = await channelWithSecret(desk);
    const lines: string[] = [];
    const without = await instance(NEW, lines);
    const old = keyIds(before)[0];
    expect((await without.as(desk.owner.token).get('/v1/channels')).status).toBe(200);
    expect((await without.anyone.post('/v1/widget/session', { widget_token: channel.widgetToken })).status).toBe(200);
    const failed = await prove(without, channel);
    expect([failed.status, failed.error.code]).toEqual([500, 'internal_error']);
    expect(JSON.stringify(failed.body)).not.toContain(old);
    expect(lines.join('')).toContain(`no encryption key named ${old} is configured`);

    const logged: string[] = [];
    expect(await rotate(without, line => void logged.push(line))).toContain(
      `a key that is not in ENCRYPTION_KEYS (${old}) is needed to read identity secrets of channels (2)`,
    );
    expect(logged).toEqual(['identity secrets of channels: 0 rewritten, 2 cannot be read and stay as they are']);
    expect(needsMissingKey(await rotationOf(without).findKeyUses(), keyIds(without))).toBe(true);
    const back = await instance(`${NEW},${OLD}`);
    await rotate(back);
    expect((await prove(without, channel)).data.contact.verified).toBe(true);
  });
});

describe('`npm run rotate-keys`', () => {
  it('`npm run rotate-keys` works beside the running service and exits with 0, or with 1 if a key is missing.', async () => {
    ensureBuilt();
    await (await instance(OLD)).register();
    const command = (ENCRYPTION_KEYS: string) =>
      ServiceProcess.start({ DATABASE_URL: database.url, ENCRYPTION_KEYS }, { entry: 'dist/bin/rotate-keys.js' });
    const early = command(NEW);
    expect((await early.ended).code).toBe(1);
    const run = command(`${NEW},${OLD}`);
    expect([(await run.ended).code, run.otherOutput.slice(0, 2)]).toEqual([
      0,
      ['identity secrets of channels: 1 rewritten', '1 rewritten in all'],
    ]);
    expect(run.otherOutput.at(-1)).toMatch(/^key 2 .* holds nothing; it can be taken out$/);
  });
});
