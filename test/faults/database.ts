import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { EmbeddedPostgres } from '../../src/platform/database/embedded/embedded-postgres.js';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded/embedded-postgres.js';
import { readPostmaster } from '../../src/platform/database/embedded/postmaster-pid.js';
import { eventually } from '../support/eventually.js';
import { assertNoneKept, assertNoneTold, Leaked } from '../support/leaks.js';
import { childrenOf } from '../support/process-tree.js';
import { TcpProxy } from '../support/tcp-proxy.js';

/**
 * As durable against the death of a process as in production. `fsync` is off: it is for the death of the machine, which
 * no test here can bring, and the kernel keeps what a killed process has written.
 */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'on',
  track_commit_timestamp: 'on',
  max_connections: '60',
};

/** Longer than a start and a recovery take on a machine that is busy with other tests. */
const STARTED_AGAIN_MS = 60_000;

/** A PostgreSQL of a stage's own, behind a proxy that keeps its address while it dies and comes back. */
export class FaultyDatabase {
  private constructor(
    private readonly folder: string,
    private readonly settings: Record<string, string>,
    private readonly name: string,
    /** Whether its folder is a disk of its own, which can be full; only root can have that. */
    readonly hasDisk: boolean,
    private server: EmbeddedPostgres,
    readonly proxy: TcpProxy,
  ) {}

  /** @param name of its database, which the service chooses where it runs the server itself */
  static async start(settings: Record<string, string> = {}, name = 'faults'): Promise<FaultyDatabase> {
    const folder = mkdtempSync(join(tmpdir(), 'support-chat-faults-'));
    chmodSync(folder, 0o711);
    const disk = mountDisk(folder);
    const server = await open(folder, settings, name);
    return new FaultyDatabase(folder, settings, name, disk, server, await TcpProxy.start(server.url));
  }

  /** Where it lies: the DATA_DIR of a service that is to run it. */
  get dataDir(): string {
    return this.folder;
  }

  /** Through the proxy. */
  get url(): string {
    return this.proxy.rewriteUrl(this.server.url);
  }

  /** Past the proxy. */
  get directUrl(): string {
    return this.server.url;
  }

  /** As if its machine had been switched off: every process of it at once, nothing is written any more. */
  kill(): void {
    const { pid } = this.server;
    for (const each of [pid, ...childrenOf(pid)]) {
      try {
        process.kill(each, 'SIGKILL');
      } catch {
        // it was gone before
      }
    }
  }

  /** Starts again where it was killed, and recovers. */
  async restart(): Promise<void> {
    await this.reopen();
    this.proxy.setTarget(this.server.url);
    this.proxy.reset();
  }

  /** Copies its data directory, as a snapshot of the disk does: in the midst of everything. @returns the folder */
  async snapshot(): Promise<string> {
    const copy = mkdtempSync(join(tmpdir(), 'support-chat-snapshot-'));
    await this.end();
    copyAll(this.folder, copy);
    await this.restart();
    return copy;
  }

  /** Replaces the data directory by a snapshot, and starts again. */
  async putBack(snapshot: string): Promise<void> {
    await this.end();
    for (const name of readdirSync(this.folder)) rmSync(join(this.folder, name), { recursive: true, force: true });
    copyAll(snapshot, this.folder);
    await this.restart();
  }

  /** Kills it, and gives up the lease on it, which would look for the server for ever. */
  private async end(): Promise<void> {
    this.kill();
    await this.server.stop();
  }

  /** Writes its settings into the cluster, so that a server that somebody else starts has them, too. */
  async keepSettings(): Promise<void> {
    await this.with(async client => {
      for (const [name, value] of Object.entries({ ...SETTINGS, ...this.settings })) {
        await client.query(`ALTER SYSTEM SET ${name} = ${client.escapeLiteral(value)}`);
      }
    });
  }

  /** Until somebody else has started it again where it was killed. @throws when nobody does */
  async isStartedAgain(): Promise<void> {
    const killed = this.server.pid;
    await eventually(async () => {
      const seen = await readPostmaster(join(this.folder, 'postgres'));
      return (seen.state === 'ready' && seen.pid !== killed) || undefined;
    }, STARTED_AGAIN_MS);
    await this.reopen();
  }

  /** The former handle is given back first: its lease would come back with the server, and count as another user. */
  private async reopen(): Promise<void> {
    await this.server.stop();
    this.server = await open(this.folder, this.settings, this.name);
  }

  /** Leaves so many bytes on its disk. */
  shrinkDisk(left: number): void {
    const { blocks, bfree, bsize } = statfsSync(this.folder);
    resize(this.folder, (blocks - bfree) * bsize + left);
  }

  growDisk(): void {
    if (this.hasDisk) resize(this.folder, DISK_BYTES);
  }

  /** Whether anybody answers; a server that a full disk has ended is started again by `restart`. */
  async answers(): Promise<boolean> {
    return this.with(client => client.query('SELECT 1')).then(
      () => true,
      () => false,
    );
  }

  /** Runs with a connection past the proxy. */
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

  /** @throws Leaked when a secret lies in it, or in its log, in clear */
  async stop(): Promise<void> {
    const fault: unknown = await this.with(assertNoneKept).catch((error: unknown) => error);
    await this.proxy.stop();
    await this.server.stop();
    const told = readFileSync(join(this.folder, 'postgres.log'), 'utf8').split('\n');
    if (this.hasDisk) spawnSync('umount', ['--lazy', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
    assertNoneTold(told);
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

/** With owners and rights, which PostgreSQL is particular about. */
function copyAll(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', `${from}/.`, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${from} cannot be copied: ${stderr}`);
}

/** More than any run writes; of memory it takes what is written. */
const DISK_BYTES = 4 * 2 ** 30;

function mountDisk(folder: string): boolean {
  if (process.getuid?.() !== 0) return false;
  const options = `size=${DISK_BYTES},mode=0711`;
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'faults', folder]).status === 0;
}

function resize(folder: string, bytes: number): void {
  const { status, stderr } = spawnSync('mount', ['-o', `remount,size=${bytes}`, folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the disk of ${folder} cannot be resized: ${stderr}`);
}
