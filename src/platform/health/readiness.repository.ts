import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SqlService, statement } from '../database/sql.service.js';

/** The timeout (ms) keeps a hanging probe from blocking a connection. */
const PING = statement('SELECT 1 AS one', { timeout: 1_000 });

@Injectable()
export class ReadinessRepository {
  constructor(
    private readonly sql: SqlService,
    private readonly source: DataSource,
  ) {}

  async ping(): Promise<void> {
    await this.sql.first(PING);
  }

  /** Returns true when no migration of this version is pending. */
  async migrated(): Promise<boolean> {
    return !(await this.source.showMigrations());
  }
}
