import { chmodSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { EmbeddedPostgres } from '../../src/platform/database/embedded/embedded-postgres.js';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded/embedded-postgres.js';
import { discard } from '../support/cluster.js';
import { assertNoneKept, Leaked } from '../support/leaks.js';
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
    private server: EmbeddedPostgres,
    readonly proxy: TcpProxy,
  ) {}

  static async start(settings: Record<string, string> = {}): Promise<FaultyDatabase> {
    const folder = mkdtempSync(join(tmpdir(), 'support-chat-faults-'));
    chmodSync(folder, 0o711);
    const server = await open(folder, settings);
    return new FaultyDatabase(folder, settings, server, await TcpProxy.start(server.url));
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
    discard(this.folder);
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
