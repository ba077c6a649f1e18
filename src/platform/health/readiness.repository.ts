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

  /** Whether the database answers within a second. */
  async databaseAnswers(): Promise<boolean> {
    const late = new Promise<never>((_resolve, reject) => {
      setTimeout(() => reject(new Error('no answer within a second')), 1_000).unref();
    });
    return Promise.race([this.sql.first(PING), late]).then(
      () => true,
      () => false,
    );
  }

  /** Whether the schema is the one that this version was built for. */
  async migrated(): Promise<boolean> {
    return !(await this.source.showMigrations());
  }
}
