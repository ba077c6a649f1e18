import { describe, expect, it } from '@jest/globals';
import { VARIABLES } from '../../src/config/env.js';
import { misspelledVariables, misspelledWarning } from '../../src/config/misspelled-variables.js';

const findMisspelled = (...names: string[]) =>
  misspelledVariables(Object.fromEntries(names.map(name => [name, 'a value']))).map(({ name, meant }) => [name, meant]);

/** Variables that shells, service managers, platforms and other programs set. */
const ORDINARY = `
  HOME USER LOGNAME SHELL PATH PWD OLDPWD SHLVL TERM LANG LC_ALL LC_CTYPE TZ HOSTNAME HOSTS MAIL EDITOR PAGER DISPLAY
  COLORTERM LS_COLORS MANPATH INFOPATH TMPDIR XDG_DATA_DIRS XDG_DATA_HOME XDG_CONFIG_DIRS XDG_RUNTIME_DIR
  DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK SSH_CONNECTION SSH_CLIENT SSH_TTY SUDO_USER SUDO_COMMAND
  INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET LISTEN_FDS LISTEN_PID MAINPID SYSTEMD_EXEC_PID CREDENTIALS_DIRECTORY
  STATE_DIRECTORY LOGS_DIRECTORY CACHE_DIRECTORY RUNTIME_DIRECTORY CONFIGURATION_DIRECTORY WATCHDOG_USEC
  NODE NODE_OPTIONS NODE_PATH NODE_VERSION NODE_EXTRA_CA_CERTS NODE_NO_WARNINGS NODE_DEBUG YARN_VERSION INIT_CWD
  npm_config_cache npm_package_name npm_lifecycle_event npm_execpath npm_node_execpath COREPACK_HOME
  DEBUG LOG LOGS LOG_FILE LOG_DIR LOG_PATH VERBOSE NO_COLOR FORCE_COLOR CI BUILD_ID GIT_COMMIT GIT_BRANCH VERSION
  HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy SSL_CERT_FILE SSL_CERT_DIR
  PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGSSLMODE PGDATA POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB POSTGRES_URL
  POSTGRES_PRISMA_URL POSTGRES_URL_NON_POOLING DATABASE_HOST DATABASE_PORT DATABASE_USER DATABASE_NAME
  DATABASE_PASSWORD DATABASE_PUBLIC_URL DATABASE_PRIVATE_URL DATABASE_URL_UNPOOLED DATABASE_CONNECTION_POOL_URL DB_URL
  DB_HOST DB_NAME DB_USER DB_PASSWORD MYSQL_URL MONGO_URL AMQP_URL REDIS_HOST REDIS_PORT REDIS_PASSWORD REDIS_TLS_URL
  REDIS_PUBLIC_URL REDISHOST REDISPORT REDIS_SERVICE_HOST REDIS_SERVICE_PORT REDIS_PORT_6379_TCP SMTP_HOST SMTP_PORT
  SMTP_USER SMTP_PASS SMTP_PASSWORD SMTP_FROM SMTP_TLS SMTP_SSL MAIL_HOST MAIL_PORT MAIL_USERNAME MAILER_DSN MAILTO
  KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_PORT CHAT_SERVICE_HOST CHAT_PORT POD_NAME POD_IP
  NODE_NAME NAMESPACE DYNO HEROKU_APP_NAME HEROKU_SLUG_COMMIT FLY_APP_NAME FLY_REGION FLY_MACHINE_ID PRIMARY_REGION
  RENDER RENDER_SERVICE_ID RENDER_INSTANCE_ID RENDER_EXTERNAL_URL RAILWAY_PUBLIC_DOMAIN RAILWAY_SERVICE_ID K_SERVICE
  K_REVISION K_CONFIGURATION GOOGLE_CLOUD_PROJECT GAE_ENV AWS_REGION AWS_DEFAULT_REGION AWS_ACCESS_KEY_ID
  AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_EXECUTION_ENV ECS_CONTAINER_METADATA_URI AZURE_CLIENT_ID WEBSITE_HOSTNAME
  GITHUB_ACTIONS GITHUB_TOKEN GITHUB_SHA GITHUB_ENV GITHUB_PATH RUNNER_OS SENTRY_DSN OTEL_EXPORTER_OTLP_ENDPOINT
  OTEL_SERVICE_NAME DD_AGENT_HOST DD_ENV NEW_RELIC_LICENSE_KEY PORTS EXPORT HTTP_PORT HTTPS_PORT SECRET SECRET_KEY
  JWT_KEY API_KEY API_URL BASE_URL APP_URL APP_ENV APP_KEY PUBLIC_KEY PUBLIC_DIR PUBLIC_HOST SESSION_SECRET BCRYPT_ROUNDS
  TEST_DATABASE_URL S3_ENDPOINT S3_BUCKET container _
`
  .split(/\s+/)
  .filter(name => name !== '');

describe('Misspelled environment variables', () => {
  it('A name with a letter missing, added, changed or swapped is reported with the variable that it resembles', () => {
    expect(findMisspelled('DATABSE_URL')).toEqual([['DATABSE_URL', 'DATABASE_URL']]);
    expect(findMisspelled('RATE_LIMT')).toEqual([['RATE_LIMT', 'RATE_LIMITS']]);
    expect(findMisspelled('JWT_SECRET', 'ENCRYPTION_KEY')).toEqual([
      ['ENCRYPTION_KEY', 'ENCRYPTION_KEYS'],
      ['JWT_SECRET', 'JWT_SECRETS'],
    ]);
    expect(findMisspelled('MAIL_FORM', 'REDIS_URI', 'TRUST_PROXIES', 'DRAIN_SECOND')).toEqual([
      ['DRAIN_SECOND', 'DRAIN_SECONDS'],
      ['MAIL_FORM', 'MAIL_FROM'],
      ['REDIS_URI', 'REDIS_URL'],
    ]);
  });

  it('A name without its unit or in lower case is reported', () => {
    expect(findMisspelled('WS_PING_INTERVAL', 'database_url')).toEqual([
      ['WS_PING_INTERVAL', 'WS_PING_INTERVAL_MS'],
      ['database_url', 'DATABASE_URL'],
    ]);
  });

  it('Every variable of eight letters or more is recognised with two neighbouring letters swapped', () => {
    for (const name of Object.keys(VARIABLES).filter(({ length }) => length >= 8)) {
      const at = [...name].findIndex((letter, index) => letter !== name[index + 1] && index > 1);
      const swapped = name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2);
      expect(findMisspelled(swapped)).toEqual([[swapped, name]]);
    }
  });

  it('No ordinary variable of a shell, a platform or another program is reported', () => {
    expect(ORDINARY.length).toBeGreaterThan(200);
    expect(findMisspelled(...ORDINARY)).toEqual([]);
  });

  it('Variables of the service itself and empty misspelled ones are not reported', () => {
    expect(findMisspelled(...Object.keys(VARIABLES))).toEqual([]);
    expect(misspelledVariables({ DATABSE_URL: ' ', RATE_LIMT: undefined })).toEqual([]);
    expect(misspelledWarning([])).toBeNull();
  });
});
