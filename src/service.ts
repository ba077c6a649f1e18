import type { Server } from 'node:http';
import type { Logger } from 'pino';
import type { App } from './app.js';
import { createApp } from './app.js';
import { SCHEMA } from './app.module.js';
import type { Config } from './config/config.js';
import { migrate } from './platform/database/migrate.js';
import type { OpenDatabase } from './platform/database/open-database.js';
import { openDatabase } from './platform/database/open-database.js';
import { drain } from './platform/health/drain.js';
import { EarlyAnswers } from './platform/health/early-answers.js';
import { listeningUrl } from './platform/health/listening-url.js';
import type { HttpAdapter } from './platform/http/http.adapter.js';

/** Starts and stops one instance of the service with its database. */
export class Service {
  private database: OpenDatabase | undefined;
  private app: App | undefined;
  private early: EarlyAnswers | undefined;
  private readonly starting = new AbortController();
  private readonly hurrying = new AbortController();
  private stopping: Promise<void> | undefined;
  private fail: (error: Error) => void = () => undefined;
  /** Resolves with the error when the service cannot continue, unless it was asked to stop. */
  readonly failed = new Promise<Error>(resolve => (this.fail = resolve));

  constructor(
    private readonly config: Config,
    private readonly log: Logger,
    /** Adds routes of the embedding program, before the service listens. */
    private readonly addRoutes: (app: App) => void = () => undefined,
  ) {}

  /**
   * Opens and migrates the database, then listens. On a fixed port it answers probes from the beginning.
   * @returns the URL of the address that the server listens on
   * @throws the error that prevented the start
   */
  async start(): Promise<string> {
    const { config, log } = this;
    if (config.port !== 0) this.early = await EarlyAnswers.listen(config);
    this.database = await openDatabase(config, log, this.starting.signal);
    void this.database.lost.then(error => this.stopped || this.fail(error));
    if (this.early) this.early.databaseAnswers = true;
    await migrate(config.databaseDirectUrl ?? this.database.url, SCHEMA, line => log.info(line));
    const app = await createApp({ ...config, databaseUrl: this.database.url }, log);
    this.app = app;
    this.addRoutes(app);
    (app.getHttpAdapter() as HttpAdapter).port = this.early?.server;
    await (config.host ? app.listen(config.port, config.host) : app.listen(config.port));
    this.early?.handOver(app.getHttpServer());
    return listeningUrl(app.getHttpServer() as Server);
  }

  /** True after `stop` was called. An error of `start` is then expected. */
  get stopped(): boolean {
    return this.stopping !== undefined;
  }

  /** Finishes requests, closes sockets, then closes the database. A second call waits for the first. */
  stop(): Promise<void> {
    return (this.stopping ??= this.shutDown());
  }

  /** Ends the drain period of a stop early. Requests in flight are still finished. */
  hurry(): void {
    this.hurrying.abort();
  }

  private async shutDown(): Promise<void> {
    this.starting.abort();
    if (this.app) await drain(this.app, this.config.drainSeconds, this.hurrying.signal);
    this.early?.close();
    await this.database?.close();
  }
}
