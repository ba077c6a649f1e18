import type { DataSourceOptions, MixedList } from 'typeorm';
import { OpenConnectionsRegistry } from './open-connections.registry.js';
import { PoolClient } from './pool-client.js';

/** The entities and migrations. The composition root provides them, because only it may list those of every module. */
export abstract class Schema {
  abstract readonly entities: MixedList<new () => object>;
  abstract readonly migrations: MixedList<new () => object>;
}

export interface DatabaseSettings {
  url: string;
  poolSize: number;
  /** Maximum time of a statement, and so of a request that waits for it; 0 for no limit. */
  queryTimeoutMs: number;
}

/** Maximum wait for a connection. A shorter query timeout lowers it. */
const CONNECT_MS = 5_000;
/**
 * Planner settings of each connection. A connection keeps the plans of its prepared statements. One that was made while a
 * table was almost empty reads the whole table, and with each message this takes longer, until autovacuum's next ANALYZE.
 * Statements on tables that grow have an index to use. Others still read their table, but before PostgreSQL 18 the
 * estimated cost would start the JIT compiler.
 */
const PLANNER_SETTINGS = 'SET enable_seqscan = off; SET jit = off';

/**
 * Builds the options of the connection pool. The client enforces `query_timeout`, because PgBouncer drops startup
 * parameters and a hanging server enforces nothing. Server-side limits are set in each transaction (`UnitOfWork`); a
 * single statement is cancelled (`PoolClient`).
 * @param connections receives every connection of the pool
 */
export function dataSourceOptions(
  settings: DatabaseSettings,
  schema: Schema,
  connections: OpenConnectionsRegistry = new OpenConnectionsRegistry(),
): DataSourceOptions {
  return {
    type: 'postgres',
    url: settings.url,
    entities: schema.entities as never,
    migrations: schema.migrations as never,
    migrationsTableName: 'migration',
    synchronize: false,
    installExtensions: false,
    poolSize: settings.poolSize,
    poolErrorHandler: () => undefined,
    extra: {
      Client: PoolClient,
      onConnect: (client: PoolClient) => client.query(PLANNER_SETTINGS),
      connections,
      connectionTimeoutMillis: Math.min(CONNECT_MS, settings.queryTimeoutMs || CONNECT_MS),
      query_timeout: settings.queryTimeoutMs,
      keepAlive: true,
      allowExitOnIdle: false,
    },
  };
}
