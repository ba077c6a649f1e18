import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from './eventually.js';
import { stoppedAtEnd } from './jest/leftovers.js';
import { rememberSecrets, rememberSecret, rememberPasswords } from './known-secrets.js';
import type { Json } from './json.js';
import { assertNoSecretsLogged } from './leaks.js';

export const checkout = resolve(import.meta.dirname, '../..');

export interface LogLine {
  level: string;
  msg: string;
  [more: string]: unknown;
}

/** Limits that no test reaches, and secrets used nowhere else. */
const SETTINGS = {
  NODE_ENV: 'test',
  HOST: '127.0.0.1',
  PORT: '0',
  LOG_FORMAT: 'json',
  LOG_LEVEL: 'trace',
  BCRYPT_COST: '4',
  DRAIN_SECONDS: '0',
  DATABASE_LOCK_TIMEOUT_MS: '10000',
  RATE_LIMITS: 'register=10000/60,widget_session=10000/60,visitor=100000/60,visitor_message=100000/60,agent=100000/60',
  JWT_SECRETS: 'a secret that signs tokens in tests alone',
  ENCRYPTION_KEYS: 'a secret that encrypts in tests and nowhere else',
};

/** An unprivileged account. */
export const NOBODY = { uid: 65534, gid: 65534 };

export interface StartOptions {
  entry?: string;
  cwd?: string;
  /** Starts with an environment of only the given variables. */
  bare?: boolean;
  /** Runs as an unprivileged account if the tests run as root. */
  asNobody?: boolean;
  /** Path of another node than the current one. */
  node?: string;
  /** Flags for node, before the entry file. */
  flags?: readonly string[];
  /** Opens an IPC channel to the process. */
  talks?: boolean;
}

/** The built service in its own process, as an operator runs it. */
export class ServiceProcess {
  readonly lines: LogLine[] = [];
  /** Output that is not a log line. */
  readonly otherOutput: string[] = [];
  /** Rejects with Leaked if the process logged a secret in clear. */
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
  private over = false;

  private constructor(
    readonly child: ChildProcess,
    private readonly folder: string,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface(stream).on('line', line => this.take(line));
    }
    this.ended = this.end();
    this.ended.catch(() => undefined); // a test may ignore it
    stoppedAtEnd(() => this.kill().catch(() => undefined));
  }

  /** Starts the process without waiting, so that a test can watch it fail. */
  static start(env: Record<string, string>, options: StartOptions = {}): ServiceProcess {
    const { PATH = '', HOME = '' } = process.env;
    const folder = mkdtempSync(join(tmpdir(), 'support-chat-process-'));
    for (const { JWT_SECRETS, ENCRYPTION_KEYS } of [SETTINGS, env]) {
      for (const secret of [JWT_SECRETS, ENCRYPTION_KEYS]) rememberSecret('a secret of the service', secret);
    }
    const child = spawn(options.node ?? process.execPath, [...(options.flags ?? []), options.entry ?? 'dist/main.js'], {
      cwd: options.cwd ?? checkout,
      env: { PATH, HOME, ...(options.bare ? {} : { ...SETTINGS, DATA_DIR: folder }), ...env },
      stdio: ['ignore', 'pipe', 'pipe', ...(options.talks ? (['ipc'] as const) : [])],
      ...(options.asNobody && process.getuid?.() === 0 ? NOBODY : {}),
    });
    return new ServiceProcess(child, folder);
  }

  /** Waits until the service listens. Returns its URL. */
  async url(ms = 40_000): Promise<string> {
    const { msg } = await this.waitForLog(/^listening on /, ms);
    return msg.replace('listening on ', '');
  }

  /** Waits for the first log line whose message matches, past or future. */
  waitForLog(pattern: RegExp, ms = 40_000): Promise<LogLine> {
    const find = () => {
      const line = this.lines.find(({ msg }) => pattern.test(String(msg)));
      if (!line && this.over) throw new Error(`the process ended without logging ${pattern}:\n${this.output()}`);
      return line;
    };
    return eventually(find, ms).catch((error: Error) => {
      throw new Error(`${error.message} of ${pattern}; output:\n${this.output()}`, { cause: error });
    });
  }

  /** Stops the process with SIGTERM, as an operator does. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended;
  }

  /** Kills the process with SIGKILL, as the kernel does when memory runs out. */
  async kill(): Promise<void> {
    if (!this.over) this.child.kill('SIGKILL');
    await this.ended;
  }

  output(): string {
    return [...this.lines.map(line => JSON.stringify(line)), ...this.otherOutput].join('\n');
  }

  private async end(): Promise<{ code: number | null; signal: string | null }> {
    // Not 'exit', which can fire before the last output arrives. Not events.once, which rejects on an 'error' of the
    // IPC channel.
    const end = await new Promise<{ code: number | null; signal: string | null }>(done => {
      this.child.once('close', (code, signal) => done({ code, signal }));
    });
    this.over = true;
    rmSync(this.folder, { recursive: true, force: true });
    assertNoSecretsLogged(this.output().split('\n'));
    return end;
  }

  private take(line: string): void {
    if (!line.startsWith('{')) this.otherOutput.push(line);
    else this.lines.push(JSON.parse(line) as LogLine);
  }
}

/** Builds the service if any source is newer than the build. */
export function ensureBuilt(): void {
  const built = join(checkout, 'dist/main.js');
  const sources = readdirSync(join(checkout, 'src'), { recursive: true, withFileTypes: true });
  const youngest = Math.max(
    ...sources.filter(entry => entry.isFile()).map(entry => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );
  if (existsSync(built) && statSync(built).mtimeMs > youngest) return;
  const { status, stdout } = spawnSync('npx', ['nest', 'build'], { cwd: checkout, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the build failed:\n${stdout}`);
}

/** Calls a running service with plain `fetch`. */
export async function call(
  method: string,
  url: string,
  options: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<{ status: number; headers: Headers; body: Json }> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(options.token === undefined ? {} : { Authorization: `Bearer ${options.token}` }),
      ...(options.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  const text = await response.text();
  rememberSecrets(text);
  rememberPasswords(options.body);
  return { status: response.status, headers: response.headers, body: text === '' ? null : (JSON.parse(text) as Json) };
}
