import { chmod, mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isRoot } from './account.js';
import { findBinaries } from './binaries.js';
import { checkVersion, createCluster, ROLE, sweepAbandoned } from './cluster.js';
import { locateCluster, recordLocation } from './cluster-location.js';
import { clusterPassword } from './password.js';
import { stopServer } from './postmaster.js';
import type { ReachedServer } from './reach-server.js';
import { reachServer } from './reach-server.js';
import type { ServerObserver } from './supervised-server.js';
import { SupervisedServer } from './supervised-server.js';

/** A PostgreSQL that runs beside the service and belongs to its data folder. */
export interface EmbeddedPostgres {
  /** postgres://…, of a superuser, in the database asked for */
  url: string;
  /** true when a living server was adopted rather than started */
  adopted: boolean;
  /**
   * Stops the server and resolves when its process is gone; leaves it to other processes that have started or adopted
   * it and not stopped it yet. End your pools first: their sessions are cut. May be called again.
   *
   * @throws when the server outlives a fast (10 s) and an immediate shutdown (10 s)
   */
  stop(): Promise<void>;
  /** of the server that runs now, or ran last */
  readonly pid: number;
}

export interface EmbeddedPostgresOptions {
  /** e.g. '.data'; made when absent. Holds `postgres` (the cluster), `postgres.password` and `postgres.log`. */
  dataDir: string;
  /** created when absent */
  database: string;
  log: (line: string) => void;
  /** more settings of postgresql.conf, e.g. `{ fsync: 'off' }` in tests; an adopted server keeps those it has */
  settings?: Record<string, string>;
  /** Given one, a server that dies is started again, on the same port, until `stop`; at most five times in ten minutes. */
  keepRunning?: ServerObserver;
}

/**
 * Starts the PostgreSQL of a data folder, or adopts it when it runs already, and waits until it accepts connections on
 * 127.0.0.1. The server survives the death of this process; the next start finds it. Two starts at once share one.
 *
 * @throws an Error of one line that names the remedy; of several when the server died while starting: its last words
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { database, log, settings = {} } = options;
  const dataDir = await openDataDir(options.dataDir);
  const { cluster, account, exists } = await locateCluster(dataDir);
  const binaries = await findBinaries(account);
  const password = await clusterPassword(dataDir, exists);
  if (!exists) await createCluster(cluster, password, binaries, account, settings.fsync !== 'off');
  await sweepAbandoned(cluster);
  await checkVersion(cluster, binaries);
  await recordLocation(dataDir, cluster);
  if (path.dirname(cluster) !== dataDir) {
    log(`PostgreSQL keeps its cluster in ${cluster}: its account (${account?.name}) cannot enter ${dataDir}`);
  }

  const logFile = path.join(dataDir, 'postgres.log');
  const plan = { binaries, cluster, account, settings, logFile };
  const server = await reachServer(plan, password, log);
  const { pid, port, adopted } = server;
  try {
    await server.lease.ensureDatabase(database);
  } catch (error) {
    await leave(server);
    throw error;
  }
  const supervised =
    options.keepRunning &&
    new SupervisedServer(cluster, server, () => reachServer({ ...plan, port }, password, log), options.keepRunning);
  const current = (): ReachedServer => supervised?.current ?? server;
  async function leave({ lease, pid }: ReachedServer): Promise<void> {
    if (await lease.release()) await stopServer(cluster, pid);
    else log(`PostgreSQL (process ${pid}) goes on: another process uses it`);
  }
  const stop = async (): Promise<void> => {
    await supervised?.stop();
    await leave(current());
  };
  log(`PostgreSQL ${adopted ? 'adopted' : `${binaries.version} started`} on 127.0.0.1:${port} (process ${pid})`);
  let stopping: Promise<void> | undefined;
  const url = `postgres://${ROLE}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
  return {
    url,
    adopted,
    get pid() {
      return current().pid;
    },
    stop: () => (stopping ??= stop()),
  };
}

/** For root it can be entered, though not read, by the account that PostgreSQL runs under. */
async function openDataDir(dataDir: string): Promise<string> {
  const made = await mkdir(dataDir, { recursive: true });
  if (made) await chmod(dataDir, isRoot() ? 0o711 : 0o700);
  return realpath(dataDir);
}
