import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { EmbeddedPostgres } from '../../src/platform/database/embedded/embedded-postgres.js';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded/embedded-postgres.js';
import { assertNoneKept, assertNoneTold, Leaked } from '../support/leaks.js';
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

/** A PostgreSQL of a stage's own, behind a proxy that keeps its address while it dies and comes back. */
export class FaultyDatabase {
  private constructor(
    private readonly folder: string,
    private readonly settings: Record<string, string>,
    /** Whether its folder is a disk of its own, which can be full; only root can have that. */
    readonly hasDisk: boolean,
    private server: EmbeddedPostgres,
    readonly proxy: TcpProxy,
  ) {}

  static async start(settings: Record<string, string> = {}): Promise<FaultyDatabase> {
    const folder = mkdtempSync(join(tmpdir(), 'support-chat-faults-'));
    chmodSync(folder, 0o711);
    const disk = mountDisk(folder);
    const server = await open(folder, settings);
    return new FaultyDatabase(folder, settings, disk, server, await TcpProxy.start(server.url));
  }

  /** Through the proxy. */
  get url(): string {
    return this.proxy.through(this.server.url);
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
    this.server = await open(this.folder, this.settings);
    this.proxy.lead(this.server.url);
    this.proxy.reset();
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

function open(dataDir: string, settings: Record<string, string>): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    dataDir,
    database: 'faults',
    log: () => undefined,
    settings: { ...SETTINGS, ...settings },
  });
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

function childrenOf(pid: number): number[] {
  const numbers = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  return numbers.map(Number).filter(each => {
    try {
      // pid (name) state ppid …, and a name may hold anything but it ends with the last bracket
      const [, ppid] = readFileSync(`/proc/${each}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return Number(ppid) === pid;
    } catch {
      return false;
    }
  });
}
