import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Sql, statement } from '../database/sql.js';

const PING = statement('SELECT 1 AS one');

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
