import type { RateLimits } from './rate-limits.js';
import { parseRateLimits } from './rate-limits.js';
import type { ResourceLimits } from './resource-limits.js';
import { parseResourceLimits, RESOURCE_LIMITS } from './resource-limits.js';
import type { Variable } from './variables.js';
import { integer, mailbox, networks, oneOf, onOff, proxies, secrets, text, token, url } from './variables.js';

function variable<T>(
  parse: Variable<T>['parse'],
  fallback: string | null,
  summary: string,
  fallbackText?: string,
): Variable<T> {
  return { parse, fallback, summary, ...(fallbackText === undefined ? {} : { fallbackText }) };
}

/** Every environment variable that the service reads; the source of `docs/generated/env.md`. */
export const VARIABLES = {
  NODE_ENV: variable(
    oneOf('development', 'test', 'production'),
    'development',
    'Environment; `production` enforces additional safety rules.',
  ),
  PORT: variable(integer(0, 65535), '3000', 'Port to listen on; 0 selects a free port.'),
  HOST: variable(text(), '', 'Address to listen on.', 'all addresses'),
  PUBLIC_URL: variable(
    url('http', 'https'),
    '',
    'URL at which clients reach the service; https in production.',
    'http://localhost:PORT',
  ),
  DASHBOARD_URL: variable(url('http', 'https'), '', 'URL of the agent dashboard.', 'PUBLIC_URL/dashboard'),
  DATABASE_URL: variable(
    url('postgres', 'postgresql'),
    '',
    'URL of the database, PostgreSQL 15 to 18. Required in production.',
    'an embedded PostgreSQL under DATA_DIR',
  ),
  DATABASE_DIRECT_URL: variable(
    url('postgres', 'postgresql'),
    '',
    'URL for migrations when DATABASE_URL is a PgBouncer.',
    'DATABASE_URL',
  ),
  DATABASE_POOL_SIZE: variable(integer(2, 500), '10', 'Maximum database connections per instance.'),
  DATABASE_PREPARED: variable(
    oneOf('auto', 'on', 'off'),
    'auto',
    'Use of named prepared statements; `auto` turns them off behind a PgBouncer that does not support them.',
  ),
  DATABASE_QUERY_TIMEOUT_MS: variable(
    integer(100, 600_000),
    '10000',
    'How long a request waits for one statement before it gets 503. Does not apply to migrations.',
  ),
  DATABASE_LOCK_TIMEOUT_MS: variable(
    integer(50, 60_000),
    '2000',
    'How long a request waits for a locked row before it gets 503; at most DATABASE_QUERY_TIMEOUT_MS.',
  ),
  INSTANCE_ID: variable(
    text(),
    '',
    'Name of this process in the answer of `/healthz`, to check which process listens on a port.',
    'none',
  ),
  METRICS_TOKEN: variable(
    token(),
    '',
    'Token that Prometheus sends as `Authorization: Bearer …` to read `/metrics`. When unset, `/metrics` is public outside production and answers 404 in production.',
    'none',
  ),
  REDIS_URL: variable(
    url('redis', 'rediss'),
    '',
    'URL of the Redis shared by all instances. It carries events between them at once and counts rate limits together. Deployments that share a Redis need a database number each.',
    'none: a single instance',
  ),
  DATA_DIR: variable(text(), '.data', 'Folder of the embedded database and of secrets generated at the first start.'),
  JWT_SECRETS: variable(
    secrets(),
    '',
    'Secrets that sign tokens, separated by commas: the first signs, all verify. Required in production.',
    'generated once, stored under DATA_DIR',
  ),
  ENCRYPTION_KEYS: variable(
    secrets(),
    '',
    'Secrets that encrypt stored secrets, separated by commas: the first encrypts, all decrypt. Required in production.',
    'generated once, stored under DATA_DIR',
  ),
  BCRYPT_COST: variable(integer(4, 15), '12', 'Cost factor of password hashes; at least 12 in production.'),
  ALLOW_REGISTRATION: variable(onOff(), 'on', 'Allows anyone to register a workspace.'),
  ALLOW_INSECURE_HTTP: variable(onOff(), 'off', 'Allows production without TLS, for trials inside a closed network.'),
  TRUST_PROXY: variable(
    proxies(),
    '',
    'Proxies whose X-Forwarded-* headers are trusted: a count, or addresses and networks separated by commas.',
    'none',
  ),
  SMTP_URL: variable(
    url('smtp', 'smtps'),
    '',
    'URL of the mail server.',
    'mail is logged instead of sent, without its text',
  ),
  MAIL_FROM: variable(
    mailbox(),
    'Support <support@localhost>',
    'Sender of mail: an address, or a name and an address.',
  ),
  WEBHOOK_ALLOWED_CIDRS: variable(
    networks(),
    '',
    'Private networks that webhooks and bots may be in, separated by commas; all others are refused.',
    'none',
  ),
  FILES_DIR: variable(
    text(),
    '',
    'Folder of uploaded files, and of uploads under way. Several instances without S3 must share it.',
    'DATA_DIR/files',
  ),
  FILES_QUOTA_MB: variable(integer(1, 100_000_000), '10240', 'Maximum size of the files of one workspace, in MiB.'),
  S3_BUCKET: variable(
    text(),
    '',
    'Bucket of an S3-compatible store. When set, files are kept there.',
    'files are on disk',
  ),
  S3_ENDPOINT: variable(url('http', 'https'), '', 'URL of the S3-compatible store.', 'Amazon S3'),
  S3_REGION: variable(text(), 'us-east-1', 'Region of the bucket.'),
  S3_ACCESS_KEY_ID: variable(text(), '', 'Access key of the bucket; required with S3_BUCKET.', 'none'),
  S3_SECRET_ACCESS_KEY: variable(text(), '', 'Secret of the access key; required with S3_BUCKET.', 'none'),
  S3_PATH_STYLE: variable(
    onOff(),
    'on',
    'Puts the name of the bucket into the path, as most compatible stores need it, and not into the host name.',
  ),
  EVENT_RETENTION_DAYS: variable(
    integer(1, 365),
    '7',
    'How long events are kept; sockets can resume from within this time.',
  ),
  RETENTION_MAILS_DAYS: variable(
    integer(1, 36_500),
    '30',
    'How long the record of a mail is kept. Its text is deleted when it was sent.',
  ),
  RETENTION_BOT_TURNS_DAYS: variable(
    integer(1, 36_500),
    '30',
    'How long deliveries to bots are kept, if they have ended.',
  ),
  RETENTION_NOTIFICATIONS_DAYS: variable(integer(1, 36_500), '90', 'How long notifications of members are kept.'),
  RETENTION_DELIVERIES_DAYS: variable(
    integer(1, 36_500),
    '30',
    'How long deliveries of webhooks and the events in them are kept.',
  ),
  RETENTION_UNSENT_FILES_HOURS: variable(
    integer(1, 168),
    '24',
    'How long an uploaded file waits for the message that sends it.',
  ),
  AUDIT_RETENTION_DAYS: variable(integer(1, 36_500), '365', 'How long entries of the audit log are kept.'),
  WS_PING_INTERVAL_MS: variable(integer(50, 600_000), '25000', 'Time between keepalive pings on a socket.'),
  WS_PONG_WAIT_MS: variable(integer(100, 1_800_000), '60000', 'Silence after which a socket is closed.'),
  WS_STALL_MS: variable(
    integer(500, 600_000),
    '10000',
    'Time without progress after which a socket is closed because its client does not read.',
  ),
  WS_HANDSHAKES_AT_ONCE: variable(
    integer(1, 10_000),
    '8',
    'Maximum number of concurrent socket handshakes; others wait. A value below DATABASE_POOL_SIZE leaves connections for requests.',
  ),
  SOCKETS_PER_ADDRESS: variable(
    integer(1, 1_000_000),
    '1000',
    'Maximum number of sockets per address on an instance, including handshakes; more get 429. An IPv6 /64 counts as one address. RATE_LIMITS=off removes the limit.',
  ),
  WS_COMPRESSION: variable(
    onOff(),
    'off',
    'Enables permessage-deflate for clients that request it. Costs CPU and memory for each socket.',
  ),
  WS_PRESENCE_TTL_MS: variable(
    integer(300, 3_600_000),
    '60000',
    'Silence after which a member or contact with an open socket counts as offline, and a dead instance is removed. Must be longer than WS_PING_INTERVAL_MS, or quiet users switch between online and offline.',
  ),
  WS_PRESENCE_GRACE_MS: variable(
    integer(0, 600_000),
    '15000',
    'How long a member or contact stays online after the last socket has closed, so that a page reload does not show as offline.',
  ),
  RATE_LIMITS: variable<RateLimits | null>(
    raw => {
      const limits = parseRateLimits(raw);
      return typeof limits === 'string' ? { fault: limits } : { value: limits };
    },
    '',
    'Overrides of single rates: `name=points/seconds`, separated by commas. `off` is for load tests only.',
    'the published rates',
  ),
  RESOURCE_LIMITS: variable<ResourceLimits>(
    raw => {
      const limits = parseResourceLimits(raw);
      return typeof limits === 'string' ? { fault: limits } : { value: limits };
    },
    Object.entries(RESOURCE_LIMITS)
      .map(([name, count]) => `${name}=${count}`)
      .join(','),
    'Maximum numbers of rows: `name=number`, separated by commas. Tags, shared views, webhooks and bots per workspace, views per member.',
  ),
  DRAIN_SECONDS: variable(
    integer(0, 600),
    '',
    'How long a stopping service answers 503, so that load balancers notice, and closes its sockets.',
    '5 in production, otherwise 0',
  ),
  LOG_LEVEL: variable(
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
    'Minimum level of logged messages.',
  ),
  LOG_FORMAT: variable(oneOf('json', 'pretty'), '', 'Format of the log.', 'pretty on a terminal, otherwise json'),
} as const;
