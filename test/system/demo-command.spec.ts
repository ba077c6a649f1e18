import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ServerClient } from '@support-chat/sdk';
import { emptyDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { rememberSecrets } from '../support/known-secrets.js';

/** Lines of the summary of two dialogues. */
const DESK = [
  /^2 conversations assigned by the service: /m,
  /^2 conversations tagged$/m,
  /^1 conversation snoozed, and woken by the contact$/m,
  /^1 photo sent, and opened by the agent$/m,
  /^1 mention notified/m,
  /^2 ratings, 4\.5 of 5 on average$/m,
];
const COMMAND = 'dist/bin/demo/main.js';

/** The built demo in its own process. */
class Demo {
  out = '';
  err = '';
  readonly ended: Promise<number | null>;
  private over: number | null | undefined;
  private readonly child: ChildProcess;

  constructor(argv: string[], environment: Record<string, string>) {
    const env = { PATH: process.env.PATH, BCRYPT_COST: '4', ...environment };
    const child = spawn(process.execPath, [COMMAND, ...argv], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk: Buffer) => (this.out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (this.err += chunk.toString()));
    this.ended = new Promise(resolve => child.once('close', resolve));
    this.child = child;
  }

  /** Waits until the demo is up. @returns its base URL and API key */
  async up(): Promise<{ baseUrl: string; apiKey: string }> {
    void this.ended.then(code => (this.over = code));
    const text = await eventually(
      () => {
        if (this.over !== undefined) throw new Error(`the demo exited with ${this.over}: ${this.err}${this.out}`);
        return this.out.includes('Ctrl-C stops') ? this.out : undefined;
      },
      60_000,
      () => [this.out, this.err],
    );
    rememberSecrets(text);
    const [, port = ''] = /listens on http:\/\/localhost:(\d+)/.exec(text) ?? [];
    return { baseUrl: `http://127.0.0.1:${port}`, apiKey: /svc_sk_[A-Za-z0-9]{32}/.exec(text)?.[0] ?? '' };
  }

  stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return this.ended;
  }
}

describe('`npm run demo` with invalid arguments', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'support-chat-demo-'));
    writeFileSync(join(folder, 'broken.json'), '{"id": 1}');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['an unknown option', ['--sped', '3'], /^Unknown option '--sped'\./],
    ['a word', ['fast'], /^Unexpected argument 'fast'\./],
    ['an option without its value', ['--speed'], /--speed.* argument missing\./],
    ['a speed that is not a number', ['--speed', 'quick'], /^--speed must be a number of at least 0, not "quick"\./],
    ['a negative speed', ['--speed=-1'], /^--speed must be a number of at least 0, not "-1"\./],
    ['an empty speed', ['--speed='], /^--speed must be a number of at least 0, not ""\./],
    ['zero dialogues at once', ['--at-once', '0'], /^--at-once must be a whole number of at least 1, not "0"\./],
    ['half a dialogue', ['--limit', '1.5'], /^--limit must be a whole number of at least 1, not "1.5"\./],
    ['a missing file', ['--dialogues', '/nowhere/at-all'], /^ENOENT.*\/nowhere\/at-all/],
    ['a file without dialogues', ['--dialogues', 'BROKEN'], /^line 1: it has no id/],
  ])('The demo refuses %s with one line and starts nothing.', async (_case, argv, line) => {
    const demo = new Demo(
      argv.map(word => (word === 'BROKEN' ? join(folder, 'broken.json') : word)),
      { DATA_DIR: join(folder, 'data') },
    );
    expect(await demo.ended).toBe(2);
    expect(demo.out).toBe('');
    expect(demo.err.trimEnd().split('\n')).toHaveLength(1);
    expect(demo.err).toMatch(line);
    expect(demo.err).toContain('Usage: npm run demo -- ');
  });

  it('The demo reports an invalid environment without a stack trace.', async () => {
    const demo = new Demo([], { DATA_DIR: join(folder, 'data'), PORT: 'high' });
    expect([await demo.ended, demo.out]).toEqual([78, '']);
    expect(demo.err).toContain('PORT must be a whole number');
    expect(demo.err).not.toMatch(/^\s+at /m);
  });
});

describe('`npm run demo`', () => {
  let folder: string;
  let database: TestDatabase;
  let occupied: Server;
  const running: Demo[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'support-chat-demo-'));
    database = await emptyDatabase();
    occupied = createServer().listen(0);
    await new Promise(resolve => occupied.once('listening', resolve));
  });
  afterEach(async () => void (await Promise.all(running.splice(0).map(demo => demo.stop()))));
  afterAll(async () => {
    occupied.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const takenPort = () => String((occupied.address() as AddressInfo).port);

  function start(...argv: string[]): Demo {
    const environment = { DATA_DIR: join(folder, 'data'), DATABASE_URL: database.url, PORT: takenPort() };
    const demo = new Demo(['--speed', '0', '--limit', '2', ...argv], environment);
    running.push(demo);
    return demo;
  }

  const worksWith = async (baseUrl: string, apiKey: string) => {
    const { name } = await new ServerClient({ baseUrl, apiKey }).workspace.get();
    return name;
  };

  it("Two demos started at once in one folder both play, and each one's key works on the other.", async () => {
    const demos = [start(), start()];
    const [one, two] = await Promise.all(demos.map(demo => demo.up()));
    expect(one!.apiKey).not.toBe(two!.apiKey);
    for (const demo of demos) {
      expect(demo.out).toMatch(new RegExp(`^Port ${takenPort()} is taken: this demo listens on \\d+ instead\\.$`, 'm'));
      expect(demo.out).toContain('2 dialogues played');
      expect(demo.out).toMatch(/a search for “\p{L}+” finds “.+” after/u);
      for (const line of DESK) expect(demo.out).toMatch(line);
      expect(demo.out).not.toContain('failed');
    }
    for (const { baseUrl } of [one!, two!]) {
      for (const { apiKey } of [one!, two!]) expect(await worksWith(baseUrl, apiKey)).toBe('Demo shop');
    }

    expect(await demos[0]!.stop()).toBe(0);
    expect(await worksWith(two!.baseUrl, two!.apiKey)).toBe('Demo shop');
    await expect(worksWith(two!.baseUrl, one!.apiKey)).rejects.toMatchObject({ status: 401, code: 'invalid_token' });
  }, 120_000);

  it('The demo shows what the desk does in each conversation, and notifies a mentioned colleague on its socket.', async () => {
    const demo = start('--exit');
    expect(await demo.ended).toBe(0);
    for (const line of DESK) expect(demo.out).toMatch(line);
    expect(demo.out).toMatch(/^1 mention notified on the socket$/m);
    const conversations = demo.out.split('── boots-too-small');
    expect(conversations.map(text => text.match(/(?<=→ )\w+/g))).toEqual([
      ['assigned', 'tagged', expect.stringMatching(/^(Olivia|Sam|Grace)$/), 'parcel', 'resolved', 'rated'],
      ['assigned', 'tagged', 'snoozed', 'woken', 'resolved', 'rated'],
    ]);
    expect(conversations[0]).toMatch(/^ +(Olivia|Sam|Grace), private note\n +┊ @/m);
  }, 120_000);

  it('The demo stops with an error if something in a dialogue fails.', async () => {
    const file = join(folder, 'refused-tag.jsonl');
    writeFileSync(file, JSON.stringify({ id: 'refused', topics: ['\u0000'], turns: [['contact', 'Hello?']] }));
    const demo = start('--dialogues', file);
    expect(await demo.ended).toBe(1);
    expect(demo.out).toMatch(/^failed: refused: /m);
    expect(demo.out).not.toContain('keeps running');
  }, 120_000);

  it('The demo prints how long each token lasts.', async () => {
    const demo = start();
    await demo.up();
    expect(demo.out).toMatch(
      /ws\/visitor\?token=\S+\n +This token lasts 24 hours; POST \/v1\/widget\/session gets another\./,
    );
    expect(demo.out).toMatch(
      /ws\/agent\?token=\S+\n +This token lasts 15 minutes; POST \/v1\/auth\/login gets another\./,
    );
    expect(demo.out).toMatch(/svc_sk_\w{32}\n +It lasts until this demo stops, at most 24 hours\./);
    const lifetimes = [...demo.out.matchAll(/token=(\S+)/g)].map(([, token = '']) => {
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Claims;
      return claims.exp - claims.iat;
    });
    expect(lifetimes).toEqual([24 * 3600, 15 * 60]);
  }, 120_000);

  interface Claims {
    iat: number;
    exp: number;
  }
});
