import type { DataSourceOptions, MixedList } from 'typeorm';
import { OpenConnections } from './open-connections.js';
import { PoolClient } from './pool-client.js';

/** What the composition root hands to the database room: the tables and the migrations, which only it can list. */
export abstract class Schema {
  abstract readonly entities: MixedList<new () => object>;
  abstract readonly migrations: MixedList<new () => object>;
}

export interface DatabaseSettings {
  url: string;
  poolSize: number;
  /** How long a statement may take, and with it a request that waits for one; 0 is as long as it takes. */
  queryTimeoutMs: number;
}

/** To wait for a connection, or to make one, takes no longer than this, nor than a statement may. */
const CONNECT_MS = 5_000;

/**
 * The connection pool. `query_timeout` lives in the client: a startup parameter would not survive PgBouncer, a database
 * that hangs does not keep time, and it must not hang every request with it. The server's own limits are set in each
 * transaction (`UnitOfWork`); a single statement is cancelled (`PoolClient`).
 * @param connections registers every connection of the pool
 */
export function dataSourceOptions(
  settings: DatabaseSettings,
  schema: Schema,
  connections: OpenConnections = new OpenConnections(),
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
      connections,
      connectionTimeoutMillis: Math.min(CONNECT_MS, settings.queryTimeoutMs || CONNECT_MS),
      query_timeout: settings.queryTimeoutMs,
      keepAlive: true,
      allowExitOnIdle: false,
    },
  };
}
