import { setTimeout as delay } from 'node:timers/promises';
import { logFor } from './app.js';
import type { Config } from './config/config.js';
import { loadConfig } from './config/config.js';
import { ConfigInvalid } from './config/parse-env.js';
import { misspelledVariables, misspelledWarning } from './config/misspelled-variables.js';
import { Service } from './service.js';

/** Exit code for an invalid configuration, from sysexits.h. */
const EX_CONFIG = 78;

/** Maximum time (ms) for the stop after a fatal error, because a supervisor waits for the process to end. */
const STOP_MS = 20_000;

/** npm forwards a Ctrl-C that the child has also received itself, so a second signal within this time is ignored. */
const REPEATED_SIGNAL_MS = 1_000;

/** Runs the service until SIGTERM or SIGINT; a later second signal shortens the drain. Exits with 1 on fatal errors. */
export async function serve(): Promise<void> {
  const config = configOrExit();
  const log = logFor(config);
  const misspelled = misspelledWarning(misspelledVariables());
  if (misspelled !== null) log.warn(misspelled);
  const service = new Service(config, log);
  let stopRequestedAt: number | undefined;
  const stop = async (): Promise<void> => {
    stopRequestedAt ??= performance.now();
    if (performance.now() - stopRequestedAt > REPEATED_SIGNAL_MS) service.hurry();
    await service.stop();
    log.info('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
  void service.failed.then(async error => {
    log.fatal({ err: error }, 'the service cannot go on');
    service.hurry();
    await Promise.race([service.stop().catch(() => undefined), delay(STOP_MS)]);
    process.exit(1);
  });
  process.on('unhandledRejection', error => log.error({ err: error }, 'unhandled rejection'));
  try {
    log.info(`listening on ${await service.start()}`);
  } catch (error) {
    if (service.stopped) return;
    log.fatal({ err: error }, 'the service could not start');
    await service.stop().catch(() => undefined);
    process.exit(1);
  }
}

function configOrExit(): Config {
  try {
    return loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error;
    const misspelled = misspelledWarning(misspelledVariables());
    process.stderr.write(`${error.message}\n${misspelled === null ? '' : `${misspelled}\n`}`);
    process.exit(EX_CONFIG);
  }
}
