import { setTimeout as sleep } from 'node:timers/promises';
import { readPostmaster } from './postmaster-pid.js';
import type { ReachedServer } from './reach-server.js';

/** Receives what happens to a server that is kept running. */
export interface ServerObserver {
  /** a death, or a start that failed; one line */
  warn(line: string): void;
  /** the server is not started again; called once */
  lost(error: Error): void;
}

/** How many starts within how long (ms), before the cause is taken to be one that a start does not cure. */
const RESTARTS = 5;
const WINDOW_MS = 600_000;
/** Pause (ms) after a start that failed. */
const RETRY_MS = 1_000;
/** How long (ms) a stop waits for a start that is under way; it takes less than a second as a rule. */
const START_MS = 10_000;

/**
 * Keeps a server running until `stop`: when its lease is lost, it is reached again, and started again if its process is
 * dead. Other processes with a lease on the same cluster may do the same at once; PostgreSQL's lock file lets one server
 * live and the others adopt it. Connection pools have the port in their URL, so the new server must listen on it.
 */
export class SupervisedServer {
  private readonly restarts: number[] = [];
  private stopping = false;
  private recovering: Promise<void> = Promise.resolve();

  /** @param reach adopts the cluster's server, or starts one on the same port */
  constructor(
    private readonly cluster: string,
    private server: ReachedServer,
    private readonly reach: () => Promise<ReachedServer>,
    private readonly observer: ServerObserver,
  ) {
    this.watch();
  }

  get current(): ReachedServer {
    return this.server;
  }

  /** Starts nothing from now on. Resolves when a start that is under way has ended, after 10 s at the latest. */
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

  /** @throws when the cluster has no server on the port and none is started any more */
  private async recover(): Promise<void> {
    while (!this.stopping) {
      const { state } = await readPostmaster(this.cluster);
      if (state === 'absent' || state === 'stranger') this.countRestart();
      const reached = await this.reach().catch((error: Error) => {
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
    if (this.restarts.length >= RESTARTS) {
      throw new Error(
        `PostgreSQL ended again after ${RESTARTS} starts within ${WINDOW_MS / 60_000} minutes; see postgres.log`,
      );
    }
    this.restarts.push(now);
    const { pid } = this.server;
    this.observer.warn(
      `PostgreSQL (process ${pid}) ended and is started again (${this.restarts.length} of ${RESTARTS} within ` +
        `${WINDOW_MS / 60_000} minutes)`,
    );
  }
}
