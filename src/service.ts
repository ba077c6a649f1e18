import type { Logger } from 'pino';
import type { App } from './app.js';
import { createApp } from './app.js';
import { SCHEMA } from './app.module.js';
import type { Config } from './config/config.js';
import { migrate } from './platform/database/migrate.js';
import type { OpenDatabase } from './platform/database/open-database.js';
import { openDatabase } from './platform/database/open-database.js';
import { drain } from './platform/health/drain.js';

/** One instance of the service, from an open database to open sockets, and back. */
export class Service {
  private database: OpenDatabase | undefined;
  private app: App | undefined;
  private readonly starting = new AbortController();
  private stopping: Promise<void> | undefined;

  constructor(
    private readonly config: Config,
    private readonly log: Logger,
  ) {}

  /** Opens and migrates the database, then listens. @returns the address @throws whatever kept it from starting */
  async start(): Promise<string> {
    const { config, log } = this;
    this.database = await openDatabase(config, log, this.starting.signal);
    await migrate(config.databaseDirectUrl ?? this.database.url, SCHEMA, line => log.info(line));
    const app = await createApp({ ...config, databaseUrl: this.database.url }, log);
    this.app = app;
    await (config.host ? app.listen(config.port, config.host) : app.listen(config.port));
    return app.getUrl();
  }

  /** Whether somebody has asked it to stop, so that a failed start is no failure. */
  get stopped(): boolean {
    return this.stopping !== undefined;
  }

  /** Requests finished, sockets closed, database last. A second call waits for the first. */
  stop(): Promise<void> {
    return (this.stopping ??= this.wind());
  }

  private async wind(): Promise<void> {
    this.starting.abort();
    if (this.app) await drain(this.app, this.config.drainSeconds);
    await this.database?.close();
  }
}
