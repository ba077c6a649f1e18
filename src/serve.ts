import type { App } from './app.js';
import { createApp, logFor } from './app.js';
import { SCHEMA } from './app.module.js';
import type { Config } from './config/config.js';
import { loadConfig } from './config/config.js';
import { ConfigInvalid } from './config/env.js';
import { migrate } from './platform/database/migrate.js';
import type { OpenDatabase } from './platform/database/open-database.js';
import { openDatabase } from './platform/database/open-database.js';
import { drain } from './platform/health/drain.js';

/** sysexits.h: something is wrong with the configuration. */
const EX_CONFIG = 78;

/** Starts the service and stops it on SIGTERM or SIGINT: requests finished, sockets closed, database last. */
export async function serve(): Promise<void> {
  const config = configOrExit();
  const log = logFor(config);
  const starting = new AbortController();
  let stopping: Promise<void> | undefined;
  let database: OpenDatabase | undefined;
  let app: App | undefined;
  const stop = (): Promise<void> =>
    (stopping ??= (async () => {
      starting.abort();
      if (app) await drain(app, config.drainSeconds);
      await database?.close();
      log.info('stopped');
      process.exit(0);
    })());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
  process.on('unhandledRejection', error => log.error({ err: error }, 'unhandled rejection'));
  try {
    database = await openDatabase(config, log, starting.signal);
    await migrate(config.databaseDirectUrl ?? database.url, SCHEMA, line => log.info(line));
    app = await createApp({ ...config, databaseUrl: database.url }, log);
    await (config.host ? app.listen(config.port, config.host) : app.listen(config.port));
    log.info(`listening on ${await app.getUrl()}`);
  } catch (error) {
    if (stopping) return stopping;
    log.fatal({ err: error }, 'the service could not start');
    await database?.close().catch(() => undefined);
    process.exit(1);
  }
}

function configOrExit(): Config {
  try {
    return loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(EX_CONFIG);
  }
}
