import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../../config/config.js';
import { dataSourceOptions, Schema } from './data-source.js';
import { Sql } from './sql.js';
import { UnitOfWork } from './unit-of-work.js';

/** The pool, the unit of work and the executor of hand-written SQL, for every repository. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [Config, Schema],
      useFactory: (config: Config, schema: Schema) => ({
        ...dataSourceOptions(
          {
            url: config.databaseUrl ?? '',
            poolSize: config.databasePoolSize,
            queryTimeoutMs: config.databaseQueryTimeoutMs,
          },
          schema,
        ),
        retryAttempts: 0,
      }),
    }),
  ],
  providers: [UnitOfWork, Sql],
  exports: [UnitOfWork, Sql],
})
export class DatabaseModule {}
