import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a search looks for stands anywhere in a text, which only an index of its trigrams finds without reading all.
 * pg_trgm comes with PostgreSQL, and whoever may create in the database may install it; where that is not allowed, or it
 * is not there, searching goes on as before, and `docs/OPERATIONS.md` says what to do.
 */
export class Search1795737600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(EXTENSION);
    const [{ installed }] = (await runner.query(INSTALLED)) as [{ installed: boolean }];
    if (installed) await runner.query(INDEX);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX IF EXISTS ix_contact_search');
  }
}

const EXTENSION = `
  DO $$ BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
  EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file THEN
    RAISE NOTICE 'searching stays slow where there are many contacts: %', SQLERRM;
  END $$`;

const INSTALLED = `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') AS installed`;

const INDEX = `
  CREATE INDEX ix_contact_search ON contact
    USING gin (name gin_trgm_ops, email gin_trgm_ops, phone gin_trgm_ops, external_id gin_trgm_ops)`;
