import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { localSecrets } from './local-secrets.js';
import type { Env } from './parse-env.js';
import { parseEnv } from './parse-env.js';
import type { RateLimits } from './rate-limits.js';
import type { ResourceLimits } from './resource-limits.js';

/** A secret with its short public id, by which tokens and ciphertexts refer to it. */
export interface NamedSecret {
  id: string;
  secret: string;
}

/** The bucket for files. */
export interface S3Settings {
  /** null for Amazon S3. */
  endpoint: string | null;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  pathStyle: boolean;
}

/** The configuration, validated once at start and frozen. This class is its injection token. */
export abstract class Config {
  abstract readonly production: boolean;
  abstract readonly port: number;
  abstract readonly host: string;
  abstract readonly publicUrl: string;
  abstract readonly dashboardUrl: string;
  /** null for an embedded server under `dataDir`. */
  abstract readonly databaseUrl: string | null;
  abstract readonly databaseDirectUrl: string | null;
  abstract readonly databasePoolSize: number;
  abstract readonly databasePrepared: 'auto' | 'on' | 'off';
  /** 0 for no limit; set by maintenance commands. */
  abstract readonly databaseQueryTimeoutMs: number;
  /** Bearer token for `/metrics`; null allows everyone outside production, and nobody in production. */
  abstract readonly metricsToken: string | null;
  abstract readonly databaseLockTimeoutMs: number;
  /** Name of this process in `/healthz`; null for none. */
  abstract readonly instanceId: string | null;
  /** null when this is the only instance. */
  abstract readonly redisUrl: string | null;
  abstract readonly dataDir: string;
  abstract readonly jwtSecrets: readonly NamedSecret[];
  abstract readonly encryptionKeys: readonly NamedSecret[];
  abstract readonly bcryptCost: number;
  abstract readonly allowRegistration: boolean;
  abstract readonly allowInsecureHttp: boolean;
  abstract readonly trustProxy: number | string[] | false;
  abstract readonly smtpUrl: string | null;
  abstract readonly mailFrom: string;
  /** Private networks that webhooks and bots may be in. */
  abstract readonly webhookAllowedCidrs: readonly string[];
  /** Folder of uploaded files, and of uploads under way. */
  abstract readonly filesDir: string;
  /** Maximum size of the files of one workspace. */
  abstract readonly filesQuotaBytes: number;
  /** null for files on disk. */
  abstract readonly s3: S3Settings | null;
  abstract readonly eventRetentionDays: number;
  abstract readonly auditRetentionDays: number;
  abstract readonly mailRetentionDays: number;
  abstract readonly botTurnRetentionDays: number;
  abstract readonly notificationRetentionDays: number;
  abstract readonly deliveryRetentionDays: number;
  abstract readonly unsentFileRetentionHours: number;
  abstract readonly socketPingIntervalMs: number;
  abstract readonly socketPongWaitMs: number;
  /** Time without progress after which a socket that resumes, or has more than 1 MiB queued, is closed. */
  abstract readonly socketStallMs: number;
  abstract readonly socketHandshakesAtOnce: number;
  /** Maximum of open sockets and handshakes per address on this instance; Infinity when rate limits are off. */
  abstract readonly socketsPerAddress: number;
  abstract readonly socketCompression: boolean;
  /** Silence after which a member or contact goes offline, and a dead instance is removed. */
  abstract readonly presenceTtlMs: number;
  /** How long a member or contact stays online after the last socket has closed. */
  abstract readonly presenceGraceMs: number;
  /** null when off. */
  abstract readonly rateLimits: RateLimits | null;
  abstract readonly resourceLimits: ResourceLimits;
  abstract readonly drainSeconds: number;
  abstract readonly logLevel: string;
  abstract readonly logPretty: boolean;
}

const PLACEHOLDER = /change.?me|example|placeholder|replace|secret|insert|password|default|^(.)\1+$|^test|^dev/i;

/** Returns faults that depend on several variables, in any environment. */
function faultsOf(env: Env): string[] {
  const faults = productionFaults(env);
  if (env.WS_PONG_WAIT_MS <= env.WS_PING_INTERVAL_MS) {
    faults.push(
      'WS_PONG_WAIT_MS must be more than WS_PING_INTERVAL_MS: otherwise a quiet socket is closed before its first ping',
    );
  }
  for (const name of ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const) {
    if (env.given.has('S3_BUCKET') && !env.given.has(name)) faults.push(`${name} is required when S3_BUCKET is set`);
  }
  return faults;
}

/** Returns faults against the additional rules of production. */
function productionFaults(env: Env): string[] {
  if (env.NODE_ENV !== 'production') return [];
  const faults: string[] = [];
  for (const name of ['DATABASE_URL', 'JWT_SECRETS', 'ENCRYPTION_KEYS', 'PUBLIC_URL'] as const) {
    if (!env.given.has(name)) faults.push(`${name} is required when NODE_ENV=production`);
  }
  for (const name of ['JWT_SECRETS', 'ENCRYPTION_KEYS'] as const) {
    if (env.given.has(name) && env[name].some(secret => PLACEHOLDER.test(secret) || new Set(secret).size < 10)) {
      faults.push(`${name} holds a placeholder; generate a secret with: openssl rand -base64 36`);
    }
  }
  if (env.BCRYPT_COST < 12) faults.push('BCRYPT_COST must be at least 12 when NODE_ENV=production');
  for (const name of ['PUBLIC_URL', 'DASHBOARD_URL'] as const) {
    if (env.given.has(name) && !env[name].startsWith('https:') && !env.ALLOW_INSECURE_HTTP) {
      faults.push(`${name} must be https when NODE_ENV=production (or set ALLOW_INSECURE_HTTP=on)`);
    }
  }
  return faults;
}

function withIds(secrets: readonly string[]): NamedSecret[] {
  return secrets.map(secret => ({ secret, id: createHash('sha256').update(secret).digest('hex').slice(0, 8) }));
}

/** Merges defaults, the process environment and overrides, for commands that need other values. Later ones win. */
export function environment(defaults: Record<string, string>, overrides: Record<string, string> = {}) {
  return { ...defaults, ...process.env, ...overrides };
}

function s3Settings(env: Env): S3Settings {
  return {
    endpoint: env.S3_ENDPOINT || null,
    region: env.S3_REGION,
    bucket: env.S3_BUCKET,
    accessKeyId: env.S3_ACCESS_KEY_ID,
    secretAccessKey: env.S3_SECRET_ACCESS_KEY,
    pathStyle: env.S3_PATH_STYLE,
  };
}

/** Reads and checks the environment once. @throws ConfigInvalid with every fault in one message */
export function loadConfig(source: Record<string, string | undefined> = process.env): Config {
  const env = parseEnv(source, faultsOf);
  const complete = env.given.has('JWT_SECRETS') && env.given.has('ENCRYPTION_KEYS');
  const generated = complete ? null : localSecrets(env.DATA_DIR);
  const publicUrl = env.PUBLIC_URL || `http://localhost:${env.PORT}`;
  return Object.freeze({
    production: env.NODE_ENV === 'production',
    port: env.PORT,
    host: env.HOST,
    publicUrl,
    dashboardUrl: env.DASHBOARD_URL || `${publicUrl}/dashboard`,
    databaseUrl: env.DATABASE_URL || null,
    databaseDirectUrl: env.DATABASE_DIRECT_URL || null,
    databasePoolSize: env.DATABASE_POOL_SIZE,
    databasePrepared: env.DATABASE_PREPARED,
    databaseQueryTimeoutMs: env.DATABASE_QUERY_TIMEOUT_MS,
    metricsToken: env.METRICS_TOKEN || null,
    databaseLockTimeoutMs: Math.min(env.DATABASE_LOCK_TIMEOUT_MS, env.DATABASE_QUERY_TIMEOUT_MS),
    instanceId: env.INSTANCE_ID || null,
    redisUrl: env.REDIS_URL || null,
    dataDir: env.DATA_DIR,
    jwtSecrets: withIds(env.given.has('JWT_SECRETS') ? env.JWT_SECRETS : [generated?.jwt ?? '']),
    encryptionKeys: withIds(env.given.has('ENCRYPTION_KEYS') ? env.ENCRYPTION_KEYS : [generated?.encryption ?? '']),
    bcryptCost: env.BCRYPT_COST,
    allowRegistration: env.ALLOW_REGISTRATION,
    allowInsecureHttp: env.ALLOW_INSECURE_HTTP,
    trustProxy: env.TRUST_PROXY || false,
    smtpUrl: env.SMTP_URL || null,
    mailFrom: env.MAIL_FROM,
    webhookAllowedCidrs: env.WEBHOOK_ALLOWED_CIDRS || [],
    filesDir: env.FILES_DIR || join(env.DATA_DIR, 'files'),
    filesQuotaBytes: env.FILES_QUOTA_MB * 1024 * 1024,
    s3: env.given.has('S3_BUCKET') ? s3Settings(env) : null,
    eventRetentionDays: env.EVENT_RETENTION_DAYS,
    auditRetentionDays: env.AUDIT_RETENTION_DAYS,
    mailRetentionDays: env.RETENTION_MAILS_DAYS,
    botTurnRetentionDays: env.RETENTION_BOT_TURNS_DAYS,
    notificationRetentionDays: env.RETENTION_NOTIFICATIONS_DAYS,
    deliveryRetentionDays: env.RETENTION_DELIVERIES_DAYS,
    unsentFileRetentionHours: env.RETENTION_UNSENT_FILES_HOURS,
    socketPingIntervalMs: env.WS_PING_INTERVAL_MS,
    socketPongWaitMs: env.WS_PONG_WAIT_MS,
    socketStallMs: env.WS_STALL_MS,
    socketHandshakesAtOnce: env.WS_HANDSHAKES_AT_ONCE,
    socketsPerAddress: env.RATE_LIMITS === null ? Infinity : env.SOCKETS_PER_ADDRESS,
    socketCompression: env.WS_COMPRESSION,
    presenceTtlMs: env.WS_PRESENCE_TTL_MS,
    presenceGraceMs: env.WS_PRESENCE_GRACE_MS,
    rateLimits: env.RATE_LIMITS,
    resourceLimits: env.RESOURCE_LIMITS,
    drainSeconds: env.given.has('DRAIN_SECONDS') ? env.DRAIN_SECONDS : env.NODE_ENV === 'production' ? 5 : 0,
    logLevel: env.LOG_LEVEL,
    logPretty: env.given.has('LOG_FORMAT') ? env.LOG_FORMAT === 'pretty' : process.stdout.isTTY,
  } satisfies Config);
}
