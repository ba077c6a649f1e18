import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BotServer } from '../support/bot-server.js';
import { MailServer } from '../support/mail-server.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { LOCAL_WEBHOOKS, WebhookReceiver } from '../support/webhook-receiver.js';
import { hasRedis, RedisServer } from '../support/redis.js';
import { FaultyDatabase } from './database.js';
import type { Resources } from './history.js';
import { Instance } from './instance.js';

/** Timeouts short enough for a fault to show within a seed, and rate limits that no client reaches. */
const SETTINGS = {
  BCRYPT_COST: '7',
  DATABASE_POOL_SIZE: '8',
  DATABASE_QUERY_TIMEOUT_MS: '1500',
  DATABASE_LOCK_TIMEOUT_MS: '1000',
  WS_PING_INTERVAL_MS: '1000',
  WS_PONG_WAIT_MS: '4000',
  DRAIN_SECONDS: '1',
  TRUST_PROXY: '1',
  RATE_LIMITS: [
    ...['register', 'register_user', 'invites', 'widget_session', 'widget_session_contact', 'sso_ticket'],
    ...[
      'login_success',
      'sso_exchange',
      'visitor',
      'visitor_message',
      'handshake',
      'agent',
      'api_key',
      'upload',
      'login_address',
    ],
  ]
    .map(name => `${name}=1000000/60`)
    .join(','),
};

/** Servers that the service calls. */
export interface CalledServers {
  /** Receives webhooks. */
  endpoint: WebhookReceiver;
  bots: BotServer;
}

/** Redis behind a proxy. */
export interface Bus {
  server: RedisServer;
  proxy: TcpProxy;
}

export interface StageOptions {
  /** Adds Redis between the instances, if it is installed. */
  bus?: boolean;
  instances?: number;
  /** Settings of PostgreSQL. */
  settings?: Record<string, string>;
  /** The instances run PostgreSQL themselves from one data folder, and nobody else starts it. */
  embedded?: boolean;
  /** Adds a mail server. */
  mail?: boolean;
  /** Gives the instances a folder for files that they share. */
  files?: boolean;
  /** Adds servers for webhooks and bots. */
  servers?: boolean;
  /** Environment of the instances, over the settings of every stage. */
  env?: Record<string, string>;
}

/** PostgreSQL, optionally Redis, and two instances. Seeds run on it one after another. */
export class Stage {
  /** Resources of the warm, idle instances. */
  base: Resources[] | null = null;

  private constructor(
    /** Name of the stage and its bus. */
    readonly name: string,
    readonly database: FaultyDatabase,
    readonly bus: Bus | null,
    readonly instances: readonly Instance[],
    private readonly embedded: boolean,
    readonly mail: MailServer | null,
    /** The folder that the instances share, if they have one. */
    readonly filesDir: string | null,
    readonly servers: CalledServers | null,
  ) {}

  static async open(name: string, options: StageOptions = {}): Promise<Stage> {
    const embedded = options.embedded ?? false;
    const database = await FaultyDatabase.start(options.settings, ...(embedded ? ['support_chat'] : []));
    if (embedded) await database.keepSettings();
    const bus = options.bus && hasRedis ? await openBus() : null;
    const mail = options.mail ? await MailServer.start() : null;
    const filesDir = options.files ? mkdtempSync(join(tmpdir(), 'support-chat-fault-files-')) : null;
    const servers = options.servers ? await openServers() : null;
    const env = {
      ...SETTINGS,
      ...(servers ? LOCAL_WEBHOOKS : {}),
      ...options.env,
      ...(embedded ? { DATA_DIR: database.dataDir } : { DATABASE_URL: database.url }),
      ...(mail ? { SMTP_URL: mail.url } : {}),
      ...(filesDir ? { FILES_DIR: filesDir } : {}),
      ...(bus ? { REDIS_URL: bus.proxy.rewriteUrl(bus.server.url) } : {}),
    };
    const names = Array.from({ length: options.instances ?? 2 }, (_nothing, index) => `${name}${index + 1}`);
    const instances = await Promise.all(names.map(async each => Instance.on(each, env)));
    const title = `${name}, ${bus ? 'Redis' : 'no bus'}`;
    const stage = new Stage(title, database, bus, instances, embedded, mail, filesDir, servers);
    try {
      await Promise.all(instances.map(instance => instance.start()));
    } catch (error) {
      await stage.close();
      throw error;
    }
    return stage;
  }

  /** Repairs everything that a seed left broken. */
  async mend(): Promise<void> {
    this.database.growDisk();
    if (!(await this.database.answers())) {
      await (this.embedded ? this.database.untilRestartedByService() : this.database.restart());
    }
    await this.database.proxy.heal();
    this.database.proxy.latency = 0;
    if (this.bus) {
      this.bus.server.resume();
      this.bus.proxy.latency = 0;
      await this.bus.proxy.heal();
    }
    await this.mail?.mend();
    for (const instance of this.instances) {
      instance.signal('SIGCONT');
      if (!instance.alive) await instance.start();
      await instance.ready();
      await instance.arm();
      await instance.order('jump', { ms: 0 });
    }
  }

  /** Current resources of each instance. */
  resources(after: boolean): Promise<Resources[]> {
    return Promise.all(
      this.instances.map(async instance => ({
        ...(await instance.resources(after)),
        connections: await this.database.with(async client => {
          const sql = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database()`;
          return (await client.query<{ count: number }>(sql)).rows[0]?.count ?? 0;
        }),
      })),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.instances.map(instance => instance.retire()));
    await this.mail?.stop();
    await this.servers?.endpoint.stop();
    await this.servers?.bots.receiver.stop();
    if (this.filesDir) rmSync(this.filesDir, { recursive: true, force: true });
    await this.bus?.proxy.stop();
    await this.bus?.server.kill();
    await this.database.stop();
  }
}

async function openServers(): Promise<CalledServers> {
  return { endpoint: await WebhookReceiver.start(), bots: await BotServer.start() };
}

async function openBus(): Promise<Bus> {
  const server = await RedisServer.start();
  return { server, proxy: await TcpProxy.start(server.url) };
}
