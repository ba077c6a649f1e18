import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../../config/config.js';
import { dataSourceOptions, Schema } from './data-source.js';
import { OpenConnectionsRegistry } from './open-connections.registry.js';
import { PoolMetricsService } from './pool-metrics.service.js';
import { SqlService } from './sql.service.js';
import { UnitOfWork } from './unit-of-work.js';

@Module({ providers: [OpenConnectionsRegistry], exports: [OpenConnectionsRegistry] })
class ConnectionsModule {}

/** Provides the connection pool, the unit of work and the SQL executor to every repository. */
@Global()
@Module({
  imports: [
    ConnectionsModule,
    TypeOrmModule.forRootAsync({
      imports: [ConnectionsModule],
      inject: [Config, Schema, OpenConnectionsRegistry],
      useFactory: (config: Config, schema: Schema, connections: OpenConnectionsRegistry) => ({
        ...dataSourceOptions(
          {
            url: config.databaseUrl ?? '',
            poolSize: config.databasePoolSize,
            queryTimeoutMs: config.databaseQueryTimeoutMs,
          },
          schema,
          connections,
        ),
        retryAttempts: 0,
      }),
    }),
  ],
  providers: [UnitOfWork, SqlService, PoolMetricsService],
  exports: [UnitOfWork, SqlService, ConnectionsModule],
})
export class DatabaseModule {}
