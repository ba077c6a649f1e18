import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import type { Cluster } from '../support/cluster.js';
import { startCluster } from '../support/cluster.js';
import { freePort } from '../support/free-port.js';
import type { OutsideDesk } from '../support/outside.js';
import { openDesk } from '../support/outside.js';
import { RedisServer } from '../support/redis.js';
import { call, ServiceProcess } from '../support/service-process.js';
import { eventually } from '../support/eventually.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const READY_MS = 60_000;

/**
 * Default rate limits and lock timeout, and production's password cost. Only the register limit is lifted, because every
 * attack creates workspaces.
 */
const SETTINGS = {
  RATE_LIMITS: 'register=10000/60',
  DATABASE_LOCK_TIMEOUT_MS: '2000',
  BCRYPT_COST: '12',
  LOG_LEVEL: 'warn',
};

const MEMORY = ['--expose-gc', '--import', fileURLToPath(new URL('memory.js', import.meta.url))];

/** Two instances on one PostgreSQL, with or without Redis, without a load balancer. */
export class Arena {
  private readonly services: ServiceProcess[] = [];

  private constructor(
    private readonly cluster: Cluster,
    readonly redis: RedisServer | null,
    readonly databaseProxy: TcpProxy,
    private readonly ports: readonly number[],
  ) {}

  static async open(withRedis: boolean): Promise<Arena> {
    const cluster = await startCluster();
    const redis = withRedis ? await RedisServer.start() : null;
    const proxy = await TcpProxy.start(cluster.templateUrl);
    const arena = new Arena(cluster, redis, proxy, [await freePort(), await freePort()]);
    await arena.start();
    return arena;
  }

  get name(): string {
    return this.redis ? 'with Redis' : 'without Redis';
  }

  get databaseUrl(): string {
    return this.cluster.templateUrl;
  }

  get urls(): string[] {
    return this.ports.map(port => `http://127.0.0.1:${port}`);
  }

  /** URL of the attacked instance. */
  get url(): string {
    return this.urls[0]!;
  }

  /** Pids of the running instances. */
  get alive(): number[] {
    return this.services.flatMap(({ child }) =>
      child.exitCode === null && child.signalCode === null ? [child.pid!] : [],
    );
  }

  /** Starts every instance that is not running, and waits until all are ready. */
  async start(): Promise<void> {
    await this.databaseProxy.heal();
    for (const [index, port] of this.ports.entries()) {
      const child = this.services[index]?.child;
      if (child && child.exitCode === null && child.signalCode === null) continue;
      const DATABASE_URL = this.databaseProxy.rewriteUrl(this.databaseUrl);
      const env: Record<string, string> = { ...SETTINGS, DATABASE_URL, PORT: String(port) };
      if (this.redis) env.REDIS_URL = this.redis.url;
      this.services[index] = ServiceProcess.start(env, { flags: MEMORY, talks: true });
    }
    for (const url of this.urls) {
      const isReady = async () => (await call('GET', `${url}/readyz`).catch(() => null))?.status === 200 || undefined;
      await eventually(isReady, READY_MS);
    }
  }

  desk(): Promise<OutsideDesk> {
    return openDesk(this.url);
  }

  /** Sends SIGTERM to the attacked instance. @returns seconds until it exited */
  async terminate(): Promise<number> {
    const started = performance.now();
    this.services[0]!.child.kill('SIGTERM');
    await this.services[0]!.ended;
    return (performance.now() - started) / 1_000;
  }

  /** Resident memory of the attacked instance, in MiB. */
  residentMiB(): number {
    const status = readFileSync(`/proc/${this.services[0]!.child.pid}/status`, 'utf8');
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
  }

  /** Heap and external memory of the attacked instance after garbage collection, in MiB. */
  async heapMiB(): Promise<number> {
    const { child } = this.services[0]!;
    child.send('memory');
    const [heap] = (await once(child, 'message')) as [number];
    return heap;
  }

  /** Runs statements on a separate connection that bypasses the proxy. */
  async withDatabase<T>(work: (client: Client) => Promise<T>, database?: string): Promise<T> {
    const url = new URL(this.databaseUrl);
    if (database) url.pathname = `/${database}`;
    const client = new Client({ connectionString: url.href });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.services.map(service => service.kill()));
    await this.databaseProxy.stop();
    await this.redis?.kill();
    await this.cluster.stop();
  }
}
