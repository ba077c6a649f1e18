import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { EmbeddedPostgres } from '../../src/platform/database/embedded/embedded-postgres.js';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded/embedded-postgres.js';
import { readPostmaster } from '../../src/platform/database/embedded/postmaster-pid.js';
import { copyAll } from '../support/data-folder.js';
import { eventually } from '../support/eventually.js';
import { assertNoSecretsStored, assertNoSecretsLogged, Leaked } from '../support/leaks.js';
import { childrenOf } from '../support/process-tree.js';
import { TcpProxy } from '../support/tcp-proxy.js';

/**
 * As durable against a killed process as in production. `fsync` is off: it protects against power failure, which no
 * test causes, and the kernel keeps what a killed process has written.
 */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'on',
  track_commit_timestamp: 'on',
  max_connections: '60',
};

/** Longer than a start with recovery takes on a busy machine. */
const STARTED_AGAIN_MS = 30_000;

/** A stage's own PostgreSQL, behind a proxy that keeps its address while it dies and restarts. */
export class FaultyDatabase {
  private constructor(
    private readonly folder: string,
    private readonly settings: Record<string, string>,
    private readonly name: string,
    /** True if its folder is a separate disk that can be filled, which requires root. */
    readonly hasDisk: boolean,
    private server: EmbeddedPostgres,
    readonly proxy: TcpProxy,
  ) {}

  /** @param name of its database, which the service chooses if it runs the server itself */
  static async start(settings: Record<string, string> = {}, name = 'faults'): Promise<FaultyDatabase> {
    const folder = mkdtempSync(join(tmpdir(), 'support-chat-faults-'));
    chmodSync(folder, 0o711);
    const disk = mountDisk(folder);
    const server = await open(folder, settings, name);
    return new FaultyDatabase(folder, settings, name, disk, server, await TcpProxy.start(server.url));
  }

  /** The data folder: DATA_DIR of a service that runs the server. */
  get dataDir(): string {
    return this.folder;
  }

  /** URL through the proxy. */
  get url(): string {
    return this.proxy.rewriteUrl(this.server.url);
  }

  /** URL without the proxy. */
  get directUrl(): string {
    return this.server.url;
  }

  /** Kills every server process at once, as a power failure would. */
  kill(): void {
    const { pid } = this.server;
    for (const each of [pid, ...childrenOf(pid)]) {
      try {
        process.kill(each, 'SIGKILL');
      } catch {
        // already gone
      }
    }
  }

  /** Restarts the killed server, which recovers. */
  async restart(): Promise<void> {
    await this.reopen();
    this.proxy.setTarget(this.server.url);
    this.proxy.reset();
  }

  /** Copies the data directory at an arbitrary moment, as a disk snapshot does. @returns the folder */
  async snapshot(): Promise<string> {
    const copy = mkdtempSync(join(tmpdir(), 'support-chat-snapshot-'));
    await this.end();
    copyAll(this.folder, copy);
    await this.restart();
    return copy;
  }

  /** Replaces the data directory with a snapshot and restarts. */
  async restoreSnapshot(snapshot: string): Promise<void> {
    await this.end();
    for (const name of readdirSync(this.folder)) rmSync(join(this.folder, name), { recursive: true, force: true });
    copyAll(snapshot, this.folder);
    await this.restart();
  }

  /** Kills the server and releases its lease, which would otherwise look for the server forever. */
  private async end(): Promise<void> {
    this.kill();
    await this.server.stop();
  }

  /** Writes the settings into the cluster, so that a server that the service starts has them too. */
  async keepSettings(): Promise<void> {
    await this.with(async client => {
      for (const [name, value] of Object.entries({ ...SETTINGS, ...this.settings })) {
        await client.query(`ALTER SYSTEM SET ${name} = ${client.escapeLiteral(value)}`);
      }
    });
  }

  /** Waits until the service has restarted the killed server. @throws if it does not */
  async untilRestartedByService(ms = STARTED_AGAIN_MS): Promise<void> {
    const killed = this.server.pid;
    await eventually(async () => {
      const seen = await readPostmaster(join(this.folder, 'postgres'));
      return (seen.state === 'ready' && seen.pid !== killed) || undefined;
    }, ms);
    await this.reopen();
  }

  /** Releases the former handle first: its lease would come back with the server and count as another user. */
  private async reopen(): Promise<void> {
    await this.server.stop();
    this.server = await open(this.folder, this.settings, this.name);
  }

  /** Leaves this many bytes free on the disk. */
  shrinkDisk(left: number): void {
    const { blocks, bfree, bsize } = statfsSync(this.folder);
    resize(this.folder, (blocks - bfree) * bsize + left);
  }

  growDisk(): void {
    if (this.hasDisk) resize(this.folder, DISK_BYTES);
  }

  /** True if the server responds. After a full disk has ended it, `restart` starts it again. */
  async answers(): Promise<boolean> {
    return this.with(client => client.query('SELECT 1')).then(
      () => true,
      () => false,
    );
  }

  /** Runs with a connection that bypasses the proxy. */
  async with<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client({ connectionString: this.directUrl });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  /** @throws Leaked if the database or its log contains a secret in clear */
  async stop(): Promise<void> {
    const fault: unknown = await this.with(assertNoSecretsStored).catch((error: unknown) => error);
    await this.proxy.stop();
    await this.server.stop();
    const log = readFileSync(join(this.folder, 'postgres.log'), 'utf8').split('\n');
    if (this.hasDisk) spawnSync('umount', ['--lazy', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
    assertNoSecretsLogged(log);
    if (fault instanceof Leaked) throw fault;
  }
}

function open(dataDir: string, settings: Record<string, string>, database: string): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    dataDir,
    database,
    log: () => undefined,
    settings: { ...SETTINGS, ...settings },
  });
}

/** Keeps owners and permissions, which PostgreSQL checks. */
/** More than any run writes. Only what is written takes memory. */
const DISK_BYTES = 4 * 2 ** 30;

function mountDisk(folder: string): boolean {
  if (process.getuid?.() !== 0) return false;
  const options = `size=${DISK_BYTES},mode=0711`;
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'faults', folder]).status === 0;
}

function resize(folder: string, bytes: number): void {
  const { status, stderr } = spawnSync('mount', ['-o', `remount,size=${bytes}`, folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`cannot resize the disk of ${folder}: ${stderr}`);
}
