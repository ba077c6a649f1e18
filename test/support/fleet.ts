import { cloneDatabase } from './database.js';
import type { TestDatabase } from './database.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { hasNginx, Nginx } from './nginx.js';
import { hasRedis, RedisServer } from './redis.js';
import { call, ensureBuilt, ServiceProcess } from './service-process.js';

/** Whether there is what a fleet needs. */
export const hasFleet = hasNginx && hasRedis;

export interface FleetOptions {
  env?: Record<string, string>;
  /** Where the service finds what the fleet has; a test may put something between. */
  through?: (own: { databaseUrl: string; redisUrl: string }) => { databaseUrl: string; redisUrl: string };
  database?: TestDatabase;
}

/** Instances of the built service in processes of their own, each on a port that it keeps, behind one nginx. */
export class Fleet {
  /** Everything that has ever run, for what it said. */
  readonly everyone: ServiceProcess[] = [];
  private readonly running: (ServiceProcess | undefined)[];

  private constructor(
    readonly database: TestDatabase,
    readonly redis: RedisServer,
    readonly nginx: Nginx,
    /** The instances' own addresses. */
    readonly urls: readonly string[],
    private readonly env: Record<string, string>,
  ) {
    this.running = urls.map(() => undefined);
  }

  /** Two instances, ready. */
  static async start({ env = {}, through = own => own, database }: FleetOptions = {}): Promise<Fleet> {
    ensureBuilt();
    const [own, redis] = await Promise.all([database ?? cloneDatabase(), RedisServer.start()]);
    const urls = [await freePort(), await freePort()].map(port => `http://127.0.0.1:${port}`);
    const nginx = await Nginx.before(urls);
    const { databaseUrl, redisUrl } = through({ databaseUrl: own.url, redisUrl: redis.url });
    const found = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
    const fleet = new Fleet(own, redis, nginx, urls, { ...found, TRUST_PROXY: '1', ...env });
    await Promise.all(urls.map((_url, index) => fleet.run(index)));
    return fleet;
  }

  /** Through nginx. */
  get url(): string {
    return this.nginx.url;
  }

  /** The instance's own address. */
  at(index: number): string {
    return this.urls[index] ?? '';
  }

  instance(index: number): ServiceProcess {
    const service = this.running[index];
    if (!service) throw new Error(`instance ${index} does not run`);
    return service;
  }

  /** Starts the instance, and waits until it is ready. */
  async run(index: number): Promise<void> {
    const service = ServiceProcess.start({ ...this.env, PORT: new URL(this.at(index)).port });
    this.running[index] = service;
    this.everyone.push(service);
    await service.url(60_000);
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

  /** What any instance has said that no dependency's fault may make it say. */
  get complaints(): string[] {
    const wrong = this.everyone.flatMap(({ lines }) =>
      lines.filter(({ level, msg }) => level === 'fatal' || /unhandled/.test(msg)),
    );
    return [...wrong.map(line => JSON.stringify(line)), ...this.everyone.flatMap(({ words }) => words)];
  }

  async stop(): Promise<void> {
    await Promise.all(this.everyone.map(service => service.kill()));
    await this.nginx.stop();
    await this.redis.kill();
    await this.database.drop();
  }
}
