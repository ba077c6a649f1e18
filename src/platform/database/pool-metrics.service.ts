import { Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { Gauge, Registry } from 'prom-client';
import { DataSource } from 'typeorm';

/** Shows the connection pool in `/metrics`. */
@Injectable()
export class PoolMetricsService {
  constructor(registry: Registry, dataSource: DataSource) {
    const { master } = dataSource.driver as unknown as { master: Pool };
    new Gauge({
      name: 'database_connections',
      help: 'Connections of the pool that are in use or idle, and requests that wait for one.',
      labelNames: ['state'],
      registers: [registry],
      collect() {
        this.set({ state: 'used' }, master.totalCount - master.idleCount);
        this.set({ state: 'idle' }, master.idleCount);
        this.set({ state: 'waiting' }, master.waitingCount);
      },
    });
  }
}
