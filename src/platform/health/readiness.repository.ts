import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Sql, statement } from '../database/sql.js';

/** A probe that hangs is a probe that failed, and it must not keep its connection for longer than that. */
const PING = statement('SELECT 1 AS one', { timeout: 1_000 });

@Injectable()
export class ReadinessRepository {
  constructor(
    private readonly sql: Sql,
    private readonly source: DataSource,
  ) {}

  async ping(): Promise<void> {
    await this.sql.first(PING);
  }

  /** Whether the schema is the one that this version was built for. */
  async migrated(): Promise<boolean> {
    return !(await this.source.showMigrations());
  }
}
