import { chmod, mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isRoot } from './account.js';
import { findBinaries } from './binaries.js';
import { checkVersion, createCluster, ROLE, removeAbandoned } from './cluster.js';
import { locateCluster, recordLocation } from './cluster-location.js';
import { clusterPassword } from './password.js';
import { stopServer } from './postmaster.js';
import type { ReachedServer } from './reach-server.js';
import { reachServer } from './reach-server.js';
import type { ServerObserver } from './supervised-server.js';
import { SupervisedServer } from './supervised-server.js';

/** A PostgreSQL server that runs beside the service, with its cluster in the data folder. */
export interface EmbeddedPostgres {
  /** URL (postgres://…) of the requested database, as superuser. */
  url: string;
  /** True when a running server was adopted instead of started. */
  adopted: boolean;
  /**
   * Stops the server and resolves when its process has ended. The server keeps running while other processes use it.
   * Close all pools first, because their sessions are terminated. May be called again.
   *
   * @throws Error when neither a fast nor an immediate shutdown (10 s each) ends the server
   */
  stop(): Promise<void>;
  /** Process id of the current server, or of the last one. */
  readonly pid: number;
}

export interface EmbeddedPostgresOptions {
  /** e.g. '.data'; created when missing. Contains `postgres` (the cluster), `postgres.password` and `postgres.log`. */
  dataDir: string;
  /** Created when missing. */
  database: string;
  log: (line: string) => void;
  /** Additional settings of postgresql.conf, e.g. `{ fsync: 'off' }` in tests. An adopted server keeps its own. */
  settings?: Record<string, string>;
  /** If set, a server that dies is restarted on the same port until `stop`, at most five times in ten minutes. */
  keepRunning?: ServerObserver;
}

/**
 * Starts the PostgreSQL of a data folder, or adopts it when it is already running, and waits until it accepts
 * connections on 127.0.0.1. The server survives the death of this process, and the next start adopts it. Concurrent
 * starts share one.
 *
 * @throws Error of one line with the remedy; with the last log lines when the server died while starting
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { database, log, settings = {} } = options;
  const dataDir = await openDataDir(options.dataDir);
  const { cluster, account, exists } = await locateCluster(dataDir);
  const binaries = await findBinaries(account);
  const password = await clusterPassword(dataDir, exists);
  if (!exists) await createCluster(cluster, password, binaries, account, settings.fsync !== 'off');
  await removeAbandoned(cluster);
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
    await releaseServer(server);
    throw error;
  }
  const supervised =
    options.keepRunning &&
    new SupervisedServer(
      server,
      beforeStart => reachServer({ ...plan, port }, password, log, beforeStart),
      options.keepRunning,
    );
  const current = (): ReachedServer => supervised?.current ?? server;
  async function releaseServer({ lease, pid }: ReachedServer): Promise<void> {
    if (!(await lease.release())) return log(`PostgreSQL (process ${pid}) keeps running: another process uses it`);
    try {
      await stopServer(cluster, pid);
    } finally {
      await lease.end();
    }
  }
  const stop = async (): Promise<void> => {
    await supervised?.stop();
    await releaseServer(current());
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

/** Creates the data folder. For root, PostgreSQL's account can enter it but not list it. */
async function openDataDir(dataDir: string): Promise<string> {
  const created = await mkdir(dataDir, { recursive: true });
  if (created) await chmod(dataDir, isRoot() ? 0o711 : 0o700);
  return realpath(dataDir);
}
