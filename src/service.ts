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

/** One instance of the service, from an open database to open sockets, and back. */
export class Service {
  private database: OpenDatabase | undefined;
  private app: App | undefined;
  private early: EarlyAnswers | undefined;
  private readonly starting = new AbortController();
  private readonly hurrying = new AbortController();
  private stopping: Promise<void> | undefined;
  private fail: (error: Error) => void = () => undefined;
  /** Resolves when the service cannot go on though nobody has asked it to stop. */
  readonly failed = new Promise<Error>(resolve => (this.fail = resolve));

  constructor(
    private readonly config: Config,
    private readonly log: Logger,
  ) {}

  /**
   * Opens and migrates the database, then listens; on a port that is known it answers probes from the first moment.
   * @returns the address that its socket is bound to
   * @throws whatever kept it from starting
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
    (app.getHttpAdapter() as HttpAdapter).port = this.early?.server;
    await (config.host ? app.listen(config.port, config.host) : app.listen(config.port));
    this.early?.handOver(app.getHttpServer());
    return listeningUrl(app.getHttpServer() as Server);
  }

  /** Whether somebody has asked it to stop, so that a failed start is no failure. */
  get stopped(): boolean {
    return this.stopping !== undefined;
  }

  /** Requests finished, sockets closed, database last. A second call waits for the first. */
  stop(): Promise<void> {
    return (this.stopping ??= this.wind());
  }

  /** Cuts short the time that a stop takes for others to notice; requests under way are finished all the same. */
  hurry(): void {
    this.hurrying.abort();
  }

  private async wind(): Promise<void> {
    this.starting.abort();
    if (this.app) await drain(this.app, this.config.drainSeconds, this.hurrying.signal);
    this.early?.close();
    await this.database?.close();
  }
}
