import { cloneDatabase } from './database.js';
import type { TestDatabase } from './database.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { HaProxy, hasHaProxy } from './haproxy.js';
import { hasNginx, Nginx } from './nginx.js';
import { hasRedis, RedisServer } from './redis.js';
import { call, ensureBuilt, ServiceProcess } from './service-process.js';

/** A process on a busy machine may need this long to listen. */
const START_MS = 120_000;

/** A proxy in front of the instances, configured as the documentation shows. */
export interface Balancer {
  readonly url: string;
  readonly wsUrl: string;
  /** The proxy's access and error logs so far. */
  readonly logs: string;
  stop(): Promise<void>;
}

const BALANCERS = { nginx: Nginx, haproxy: HaProxy };
export type BalancerName = keyof typeof BALANCERS;

/** True if the programs that a fleet with this balancer needs are installed. */
export const hasFleetBehind = (name: BalancerName): boolean => hasRedis && (name === 'nginx' ? hasNginx : hasHaProxy);
export const hasFleet = hasFleetBehind('nginx');

export interface FleetOptions {
  env?: Record<string, string>;
  /** Rewrites the URLs the service gets, so that a test can put a proxy in between. */
  through?: (urls: { databaseUrl: string; redisUrl: string }) => { databaseUrl: string; redisUrl: string };
  database?: TestDatabase;
  balancer?: BalancerName;
}

/** Built instances of the service, each a process with a fixed port, behind one load balancer. */
export class Fleet {
  /** Every process ever started, to check their logs. */
  readonly processes: ServiceProcess[] = [];
  private readonly running: (ServiceProcess | undefined)[];

  private constructor(
    readonly database: TestDatabase,
    readonly redis: RedisServer,
    readonly balancer: Balancer,
    readonly urls: readonly string[],
    private readonly env: Record<string, string>,
  ) {
    this.running = urls.map(() => undefined);
  }

  /** Starts two instances and waits until the balancer knows both. */
  static async start({
    env = {},
    through = urls => urls,
    database,
    balancer = 'nginx',
  }: FleetOptions = {}): Promise<Fleet> {
    ensureBuilt();
    const [clone, redis] = await Promise.all([database ?? cloneDatabase(), RedisServer.start()]);
    const urls = [await freePort(), await freePort()].map(port => `http://127.0.0.1:${port}`);
    const proxy = await BALANCERS[balancer].before(urls);
    const { databaseUrl, redisUrl } = through({ databaseUrl: clone.url, redisUrl: redis.url });
    const found = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
    const fleet = new Fleet(clone, redis, proxy, urls, { ...found, TRUST_PROXY: '1', ...env });
    await Promise.all(urls.map((_url, index) => fleet.run(index)));
    // The balancer sends no requests to an instance before its health probe has passed.
    await eventually(async () => {
      await fetch(`${fleet.url}/healthz`);
      return urls.every(url => proxy.logs.includes(` ${new URL(url).host} 200 `)) ? true : undefined;
    }, 20_000);
    return fleet;
  }

  /** URL of the balancer. */
  get url(): string {
    return this.balancer.url;
  }

  /** URL of one instance. */
  at(index: number): string {
    return this.urls[index] ?? '';
  }

  instance(index: number): ServiceProcess {
    const service = this.running[index];
    if (!service) throw new Error(`instance ${index} is not running`);
    return service;
  }

  /** Starts the instance and waits until it is ready. */
  async run(index: number): Promise<void> {
    const service = ServiceProcess.start({ ...this.env, PORT: new URL(this.at(index)).port });
    this.running[index] = service;
    this.processes.push(service);
    await service.url(START_MS);
    await this.untilReady(index);
  }

  async kill(index: number): Promise<void> {
    await this.instance(index).kill();
    this.running[index] = undefined;
  }

  async untilReady(index: number, ms = 20_000): Promise<void> {
    await eventually(async () => {
      const probe = await call('GET', `${this.at(index)}/readyz`).catch(() => null);
      return probe?.status === 200 || undefined;
    }, ms);
  }

  /** Fatal log lines, unhandled errors and output outside the log. No failing dependency may cause any. */
  get complaints(): string[] {
    const wrong = this.processes.flatMap(({ lines }) =>
      lines.filter(({ level, msg }) => level === 'fatal' || /unhandled/.test(msg)),
    );
    return [...wrong.map(line => JSON.stringify(line)), ...this.processes.flatMap(({ otherOutput }) => otherOutput)];
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map(service => service.kill()));
    await this.balancer.stop();
    await this.redis.kill();
    await this.database.drop();
  }
}
