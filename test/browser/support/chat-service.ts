import { ensureDashboardBuilt, ensureWidgetBuilt } from '../../support/built-clients.js';
import type { TestDatabase } from '../../support/database.js';
import { cloneDatabase } from '../../support/database.js';
import { stoppedAtEnd } from '../../support/jest/leftovers.js';
import type { OutsideDesk } from '../../support/outside.js';
import { openDesk } from '../../support/outside.js';
import { ensureBuilt, ServiceProcess } from '../../support/service-process.js';
import { TcpProxy } from '../../support/tcp-proxy.js';

/** An address where nothing listens, until the service does. */
const NOWHERE = 'http://127.0.0.1:9';

/** A process on a busy machine may need this long to listen. */
const START_MS = 120_000;

/**
 * The built service with the built front-ends, as browsers reach it: through a network that can be cut, slowed down and
 * healed. Its address stays the same when it restarts.
 */
export class ChatService {
  readonly stop = stoppedAtEnd(() => this.shutDown());
  private process: ServiceProcess | undefined;
  private processUrl = NOWHERE;

  private constructor(
    /** `http://127.0.0.1:port`, also the PUBLIC_URL. */
    readonly url: string,
    /** Between all browsers and the service. */
    readonly network: TcpProxy,
    readonly database: TestDatabase,
    private readonly settings: Record<string, string>,
  ) {}

  /** @param settings environment variables */
  static async start(settings: Record<string, string> = {}): Promise<ChatService> {
    ensureBuilt();
    ensureWidgetBuilt();
    ensureDashboardBuilt();
    const [database, network] = await Promise.all([cloneDatabase(), TcpProxy.start(NOWHERE)]);
    const service = new ChatService(new URL(network.rewriteUrl(NOWHERE)).origin, network, database, settings);
    await service.boot();
    return service;
  }

  /** Its address without the network in between. It changes when the service restarts. */
  get directUrl(): string {
    return this.processUrl;
  }

  /** Registers a workspace with a channel. */
  openDesk(): Promise<OutsideDesk> {
    return openDesk(this.url);
  }

  /** Stops the process as an operator does, and starts another one. */
  async restart(): Promise<void> {
    await this.process?.stop();
    await this.boot();
  }

  /** Log of the present process, for the message of a failing test. */
  output(): string {
    return this.process?.output() ?? '';
  }

  private async boot(): Promise<void> {
    const environment = { DATABASE_URL: this.database.url, PUBLIC_URL: this.url, ...this.settings };
    this.process = ServiceProcess.start(environment);
    this.processUrl = await this.process.url(START_MS);
    this.network.setTarget(this.processUrl);
  }

  private async shutDown(): Promise<void> {
    await this.network.stop();
    await this.process?.stop();
    await this.database.drop();
  }
}
