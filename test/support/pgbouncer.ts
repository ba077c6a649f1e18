import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { stoppedAtEnd } from './jest/leftovers.js';

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(path =>
  existsSync(path),
);

/** Installed version as [major, minor]; null if PgBouncer is missing. */
export function pgbouncerVersion(): [number, number] | null {
  if (!PROGRAM) return null;
  const [, major, minor] = /(\d+)\.(\d+)/.exec(spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' }).stdout) ?? [];
  return [Number(major), Number(minor)];
}

/** PgBouncer in transaction mode with few connections, so that a client seldom gets the same one twice. */
export class PgBouncer {
  private constructor(
    /** URL of the database through PgBouncer. */
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** @param settings extra lines of configuration */
  static async before(databaseUrl: string, settings: readonly string[] = []): Promise<PgBouncer> {
    if (!PROGRAM) throw new Error('PgBouncer is not installed');
    const folder = mkdtempSync(join(tmpdir(), 'support-chat-pgbouncer-'));
    chmodSync(folder, 0o755);
    const port = await freePort();
    writeFileSync(join(folder, 'pgbouncer.ini'), configuration(new URL(databaseUrl), port, settings));
    const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    const child = spawn(PROGRAM, ['-q', ...account, join(folder, 'pgbouncer.ini')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    stoppedAtEnd(async () => void child.kill('SIGKILL'));
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const url = new URL(databaseUrl);
    url.hostname = '127.0.0.1';
    url.port = String(port);
    const bouncer = new PgBouncer(url.href, child, folder);
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer exited:\n${stderr}`);
      return (await answers(url.href)) || undefined;
    });
    return bouncer;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      this.child.kill('SIGKILL');
      await once(this.child, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function configuration(database: URL, port: number, settings: readonly string[]): string {
  const { hostname, username, password, pathname } = database;
  const target = [
    `host=${hostname}`,
    `port=${database.port}`,
    `dbname=${pathname.slice(1)}`,
    `user=${decodeURIComponent(username)}`,
    `password='${decodeURIComponent(password)}'`,
  ];
  return [
    '[databases]',
    `* = ${target.join(' ')}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 4',
    ...settings,
    '',
  ].join('\n');
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
