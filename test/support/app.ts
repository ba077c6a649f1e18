import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { App } from '../../src/app.js';
import { createApp } from '../../src/app.js';
import type { Config } from '../../src/config/config.js';
import { loadConfig } from '../../src/config/config.js';
import { Clock } from '../../src/kernel/clock.js';
import { UnitOfWork } from '../../src/platform/database/unit-of-work.js';
import type { Mail } from '../../src/platform/mail/mailer.js';
import { Mailer } from '../../src/platform/mail/mailer.js';
import type { TestDatabase } from './database.js';
import { cloneDatabase } from './database.js';
import { MovableClock } from './clock.js';
import { rememberSecrets, rememberSecret, rememberPasswords } from './known-secrets.js';
import { dedicatedDatabase } from './dedicated-database.js';
import { stoppedAtEnd } from './jest/leftovers.js';
import { WatchedLog } from './watched-log.js';

/** A running service that belongs to one spec file. */
export interface TestApp {
  app: App;
  server: Server;
  config: Config;
  /** `http://127.0.0.1:port` */
  url: string;
  /** `ws://127.0.0.1:port` */
  wsUrl: string;
  database: TestDatabase;
  clock: MovableClock;
  /** Mails that the service would have sent. */
  mails: Mail[];
  /** @throws Leaked if the log, or a database that the app made itself, contains a secret in clear */
  stop(): Promise<void>;
}

/** High but finite limits: every test exercises rate limiting, and only the specs about limits reach one. */
const RATES = [
  'login=100000/60',
  'login_email=100000/60',
  'login_address=100000/60',
  'login_success=100000/60',
  'register=100000/60',
  'register_user=100000/60',
  'invite_preview=100000/60',
  'invites=100000/60',
  'sso_ticket=100000/60',
  'sso_exchange=100000/60',
  'password_forgot=100000/60',
  'password_forgot_address=100000/60',
  'password_reset=100000/60',
  'refresh=100000/60',
  'widget_session=100000/60',
  'widget_session_contact=100000/60',
  'widget_token_unknown=100000/60',
  'widget_config=100000/60',
  'credential_unknown=100000/60',
  'visitor=1000000/60',
  'visitor_message=1000000/60',
  'search=100000/60',
  'endpoint_test=100000/60',
  'webhook_replay=100000/60',
  'rating=100000/60',
  'reports=100000/60',
  'upload=100000/60',
  'upload_bytes_address=999999999/60',
  'transcript_contact=100000/60',
  'transcript_member=100000/60',
  'transcript_address=100000/60',
  'transcript_address_day=100000/60',
  'transcript_workspace=100000/60',
  'unsubscribe=100000/60',
  'handshake=100000/60',
  'frame_bytes=100000000/60',
  'agent=1000000/60',
  'api_key=1000000/60',
].join(',');

const SECRETS = {
  JWT_SECRETS: 'a secret that signs tokens in tests alone',
  ENCRYPTION_KEYS: 'a secret that encrypts in tests and nowhere else',
};

/**
 * @param env overrides of the environment
 * @param options `database` runs the app on another test's database, `alone` in a PostgreSQL of its own; `realMail`
 *   sends mail to SMTP_URL
 */
export async function startApp(
  env: Record<string, string> = {},
  options: {
    database?: TestDatabase;
    alone?: boolean;
    clock?: MovableClock;
    log?: { write(line: string): void };
    realMail?: boolean;
  } = {},
): Promise<TestApp> {
  const database = options.database ?? (await (options.alone ? dedicatedDatabase() : cloneDatabase()));
  const folder = mkdtempSync(join(tmpdir(), 'support-chat-data-'));
  const config = loadConfig({
    NODE_ENV: 'test',
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    BCRYPT_COST: '4',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    RATE_LIMITS: RATES,
    DRAIN_SECONDS: '0',
    // Above the default, because tests race on a busy machine. Specs about the lock timeout set their own.
    DATABASE_LOCK_TIMEOUT_MS: '10000',
    ...SECRETS,
    ...env,
  });
  const clock = options.clock ?? new MovableClock();
  const mails: Mail[] = [];
  for (const { secret } of [...config.jwtSecrets, ...config.encryptionKeys])
    rememberSecret('a secret of the service', secret);
  const watched = new WatchedLog(config.logLevel, options.log);
  const app = await createApp(config, watched.log);
  replace(app, Clock, clock);
  const units = app.get(UnitOfWork);
  const send = async (mail: Mail) => {
    units.assertNoneActive('sending mail');
    return take(mail);
  };
  if (!options.realMail) replace(app, Mailer, { send });
  rememberSent(app.getHttpServer() as Server);
  await app.listen(0, '127.0.0.1');
  const server = app.getHttpServer() as Server;
  const { port } = server.address() as AddressInfo;
  const running: TestApp = {
    app,
    server,
    config,
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    database,
    clock,
    mails,
    stop: stoppedAtEnd(async () => {
      await app.close();
      rmSync(folder, { recursive: true, force: true });
      if (!options.database) await database.drop();
      // The spec file keeps `running`. See stoppedAtEnd.
      Object.assign(running, { app: undefined, server: undefined });
      watched.assertNoSecrets();
    }),
  };
  return running;

  function take(mail: Mail): void {
    mails.push(mail);
    rememberSecrets(mail.text);
  }
}

/** Remembers every credential and password that any client sends to the server. */
function rememberSent(server: Server): void {
  server.prependListener('request', (request: IncomingMessage & { body?: unknown }, response: ServerResponse) => {
    rememberSecrets(request.headers.authorization ?? '');
    response.once('finish', () => rememberPasswords(request.body));
  });
}

/** Replaces methods of an instance that has already been injected everywhere. */
function replace<T extends object>(app: App, token: abstract new () => T, replacement: Partial<T>): void {
  const real = app.get<T>(token as never);
  const names = new Set([
    ...Object.getOwnPropertyNames(Object.getPrototypeOf(replacement) as object),
    ...Object.keys(replacement),
  ]);
  for (const name of names) {
    const method: unknown = (replacement as Record<string, unknown>)[name];
    if (name !== 'constructor' && typeof method === 'function') {
      Object.defineProperty(real, name, { value: method.bind(replacement), configurable: true });
    }
  }
}
