import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../../config/config.js';
import { dataSourceOptions, Schema } from './data-source.js';
import { OpenConnections } from './open-connections.js';
import { Sql } from './sql.js';
import { UnitOfWork } from './unit-of-work.js';

@Module({ providers: [OpenConnections], exports: [OpenConnections] })
class ConnectionsModule {}

/** Provides the connection pool, the unit of work and the SQL executor to every repository. */
@Global()
@Module({
  imports: [
    ConnectionsModule,
    TypeOrmModule.forRootAsync({
      imports: [ConnectionsModule],
      inject: [Config, Schema, OpenConnections],
      useFactory: (config: Config, schema: Schema, connections: OpenConnections) => ({
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
  providers: [UnitOfWork, Sql],
  exports: [UnitOfWork, Sql, ConnectionsModule],
})
export class DatabaseModule {}
