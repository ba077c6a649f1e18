import { setTimeout as sleep } from 'node:timers/promises';
import type { ReachedServer } from './reach-server.js';

/** Receives the events of a supervised server. */
export interface ServerObserver {
  /** Called with one line when the server died or a start failed. */
  warn(line: string): void;
  /** Called once, when the server is not restarted any more. */
  lost(error: Error): void;
}

/** The server has ended too often to be started again. */
class RestartsExhausted extends Error {}

/** Maximum number of restarts within a window (ms). After more, the cause is assumed to be permanent. */
const MAX_RESTARTS = 5;
const WINDOW_MS = 600_000;
/** Delay (ms) after a failed start. */
const RETRY_MS = 1_000;
/** Maximum time (ms) that a stop waits for a start in progress, which usually takes less than a second. */
const START_MS = 10_000;

/**
 * Keeps a server running until `stop`: when the lease is lost, it reconnects, and restarts the server if its process is
 * dead. Other processes with a lease may do the same at once; PostgreSQL's lock file lets one server run, and the
 * others adopt it. The new server must use the same port, because connection pools have it in their URL.
 */
export class SupervisedServer {
  private readonly restarts: number[] = [];
  private stopping = false;
  private recovering: Promise<void> = Promise.resolve();

  /** @param reach adopts the cluster's server, or starts one on the same port after it has called `beforeStart` */
  constructor(
    private server: ReachedServer,
    private readonly reach: (beforeStart: () => void) => Promise<ReachedServer>,
    private readonly observer: ServerObserver,
  ) {
    this.watch();
  }

  get current(): ReachedServer {
    return this.server;
  }

  /** Stops supervision. Resolves when a start in progress has ended, after 10 s at the latest. */
  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.race([this.recovering, sleep(START_MS, undefined, { ref: false })]);
  }

  private watch(): void {
    this.server.lease.onLoss(() => {
      this.recovering = this.recover().catch((error: Error) => {
        if (!this.stopping) this.observer.lost(error);
      });
    });
  }

  /** @throws Error when no server runs on the port and none is started any more */
  private async recover(): Promise<void> {
    while (!this.stopping) {
      const reached = await this.reach(() => this.countRestart()).catch((error: Error) => {
        if (error instanceof RestartsExhausted) throw error;
        this.observer.warn(`PostgreSQL cannot be reached: ${error.message}`);
        return undefined;
      });
      if (!reached) {
        await sleep(RETRY_MS);
        continue;
      }
      const { port } = this.server;
      this.server = reached;
      if (reached.port !== port) {
        throw new Error(`PostgreSQL came back on port ${reached.port} instead of ${port}; start the service again`);
      }
      return this.watch();
    }
  }

  private countRestart(): void {
    const now = performance.now();
    while (this.restarts.length > 0 && now - this.restarts[0]! > WINDOW_MS) this.restarts.shift();
    if (this.restarts.length >= MAX_RESTARTS) {
      throw new RestartsExhausted(
        `PostgreSQL ended again after ${MAX_RESTARTS} starts within ${WINDOW_MS / 60_000} minutes; see postgres.log`,
      );
    }
    this.restarts.push(now);
    const { pid } = this.server;
    this.observer.warn(
      `PostgreSQL (process ${pid}) ended and is started again (${this.restarts.length} of ${MAX_RESTARTS} within ` +
        `${WINDOW_MS / 60_000} minutes)`,
    );
  }
}
