import type { RateLimits } from './rate-limits.js';
import { parseRateLimits } from './rate-limits.js';
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
  NODE_ENV: variable(oneOf('development', 'test', 'production'), 'development', 'Which safety rules hold.'),
  PORT: variable(integer(0, 65535), '3000', 'Port to listen on; 0 takes a free one.'),
  HOST: variable(text(), '', 'Address to listen on.', 'all addresses'),
  PUBLIC_URL: variable(
    url('http', 'https'),
    '',
    'Where clients reach the service; https in production.',
    'http://localhost:PORT',
  ),
  DASHBOARD_URL: variable(url('http', 'https'), '', 'Where agents work.', 'PUBLIC_URL/dashboard'),
  DATABASE_URL: variable(
    url('postgres', 'postgresql'),
    '',
    'PostgreSQL 15 to 18. Required in production.',
    'an embedded PostgreSQL under DATA_DIR',
  ),
  DATABASE_DIRECT_URL: variable(
    url('postgres', 'postgresql'),
    '',
    'Where migrations run when DATABASE_URL is a PgBouncer.',
    'DATABASE_URL',
  ),
  DATABASE_POOL_SIZE: variable(integer(2, 500), '10', 'Connections to the database per instance.'),
  DATABASE_PREPARED: variable(
    oneOf('auto', 'on', 'off'),
    'auto',
    'Named prepared statements; auto turns them off behind a PgBouncer that cannot carry them.',
  ),
  DATABASE_QUERY_TIMEOUT_MS: variable(
    integer(100, 600_000),
    '10000',
    'How long a request waits for one statement before it gets 503. Migrations take the time that they need.',
  ),
  DATABASE_LOCK_TIMEOUT_MS: variable(
    integer(50, 60_000),
    '2000',
    'How long a request waits for a row that another transaction has locked before it gets 503; at most DATABASE_QUERY_TIMEOUT_MS.',
  ),
  INSTANCE_ID: variable(
    text(),
    '',
    'A name of this process that `/healthz` tells, so that whoever started it knows who answers on its port.',
    'not told',
  ),
  METRICS_TOKEN: variable(
    token(),
    '',
    'What Prometheus sends as `Authorization: Bearer …` to read `/metrics`. Unset, anyone reads it outside production, and in production it answers 404.',
    'none',
  ),
  REDIS_URL: variable(
    url('redis', 'rediss'),
    '',
    'Redis that several instances share: what happens on one is heard on the others at once, and rates are counted together. Deployments that share a Redis take a database number each.',
    'one instance',
  ),
  DATA_DIR: variable(text(), '.data', 'Folder of the embedded database and of secrets made at the first start.'),
  JWT_SECRETS: variable(
    secrets(),
    '',
    'Secrets that sign tokens, parted by commas: the first signs, all verify. Required in production.',
    'made once, kept under DATA_DIR',
  ),
  ENCRYPTION_KEYS: variable(
    secrets(),
    '',
    'Secrets that encrypt what must be read again: the first encrypts, all decrypt. Required in production.',
    'made once, kept under DATA_DIR',
  ),
  BCRYPT_COST: variable(integer(4, 15), '12', 'Work factor of password hashes; at least 12 in production.'),
  ALLOW_REGISTRATION: variable(onOff(), 'on', 'Whether anyone may register a workspace.'),
  ALLOW_INSECURE_HTTP: variable(onOff(), 'off', 'Lets production run without TLS, for trials inside a closed network.'),
  TRUST_PROXY: variable(
    proxies(),
    '',
    'Proxies whose X-Forwarded-* headers are believed: a count, or addresses and networks parted by commas.',
    'none',
  ),
  SMTP_URL: variable(url('smtp', 'smtps'), '', 'Mail server.', 'mail is written to the log, without secrets'),
  MAIL_FROM: variable(
    mailbox(),
    'Support <support@localhost>',
    'Sender of mail: an address, or a name and an address.',
  ),
  WEBHOOK_ALLOWED_CIDRS: variable(
    networks(),
    '',
    'Private networks that webhooks and bots may live in, parted by commas; all others are refused.',
    'none',
  ),
  EVENT_RETENTION_DAYS: variable(integer(1, 365), '7', 'How long the event log can be resumed from.'),
  AUDIT_RETENTION_DAYS: variable(integer(1, 36_500), '365', 'How long the audit log keeps who did what.'),
  WS_PING_INTERVAL_MS: variable(integer(50, 600_000), '25000', 'Time between keepalive pings on a socket.'),
  WS_PONG_WAIT_MS: variable(integer(100, 1_800_000), '60000', 'Silence after which a socket is closed.'),
  WS_STALL_MS: variable(
    integer(500, 600_000),
    '10000',
    'Time without progress after which a socket is closed whose client does not read what it has asked for.',
  ),
  WS_HANDSHAKES_AT_ONCE: variable(
    integer(1, 10_000),
    '8',
    'Sockets that are let in at the same time; the rest wait. Less than DATABASE_POOL_SIZE leaves room for requests.',
  ),
  SOCKETS_PER_ADDRESS: variable(
    integer(1, 1_000_000),
    '1000',
    'Sockets that one address may have open or under way on an instance, an IPv6 network of 64 bits being one address; more are 429. RATE_LIMITS=off lifts it.',
  ),
  WS_COMPRESSION: variable(
    onOff(),
    'off',
    'Whether clients that ask for permessage-deflate get it. It costs processor for each socket, and memory.',
  ),
  WS_PRESENCE_TTL_MS: variable(
    integer(300, 3_600_000),
    '60000',
    'Silence after which somebody with an open socket counts as offline, and an instance that died is forgotten. Longer than WS_PING_INTERVAL_MS, or whoever says nothing flickers.',
  ),
  WS_PRESENCE_GRACE_MS: variable(
    integer(0, 600_000),
    '15000',
    'How long somebody stays online whose last socket has closed: a page that is loaded again makes no flicker.',
  ),
  RATE_LIMITS: variable<RateLimits | null>(
    raw => {
      const limits = parseRateLimits(raw);
      return typeof limits === 'string' ? { fault: limits } : { value: limits };
    },
    '',
    'Overrides of single rates, `name=points/seconds` parted by commas; `off` for load tests only.',
    'the published rates',
  ),
  DRAIN_SECONDS: variable(
    integer(0, 600),
    '',
    'How long a service that was told to stop goes on answering 503, so that balancers notice, and closes its sockets.',
    '5 in production, else 0',
  ),
  LOG_LEVEL: variable(oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), 'info', 'What is logged.'),
  LOG_FORMAT: variable(oneOf('json', 'pretty'), '', 'How it is logged.', 'pretty on a terminal, else json'),
} as const;

type Values = {
  [Name in keyof typeof VARIABLES]: (typeof VARIABLES)[Name] extends Variable<infer T> ? T : never;
};
export type Env = Values & { given: ReadonlySet<keyof typeof VARIABLES> };

/** All faults of the environment at once, one a line. The process ends with 78 (EX_CONFIG). */
export class ConfigInvalid extends Error {
  constructor(readonly faults: string[]) {
    super(`The configuration is not valid:\n${faults.map(fault => `  - ${fault}`).join('\n')}`);
  }
}

/**
 * Parses every variable; unset and empty ones take their fallback.
 * @param demands what is asked beyond well-formed values; each fault begins with its variable's name
 * @throws ConfigInvalid
 */
export function parseEnv(source: Record<string, string | undefined>, demands: (env: Env) => string[]): Env {
  const faults: string[] = [];
  const given = new Set<keyof typeof VARIABLES>();
  const entries = Object.entries(VARIABLES).map(([name, { parse, fallback }]) => {
    const raw = source[name]?.trim();
    if (raw) given.add(name as keyof typeof VARIABLES);
    const chosen = raw || fallback || '';
    if (chosen === '' && name !== 'RATE_LIMITS') return [name, ''] as const;
    const parsed = parse(chosen);
    if ('fault' in parsed) {
      faults.push(`${name} ${parsed.fault}`);
      given.delete(name as keyof typeof VARIABLES);
    }
    return [name, 'value' in parsed ? parsed.value : ''] as const;
  });
  const env = { ...(Object.fromEntries(entries) as Values), given };
  const named = new Set(faults.map(nameOf));
  faults.push(...demands(env).filter(fault => !named.has(nameOf(fault))));
  if (faults.length > 0) throw new ConfigInvalid(faults);
  return env;
}

function nameOf(fault: string): string | undefined {
  return fault.split(' ', 1)[0];
}
