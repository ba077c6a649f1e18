import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The circumstances of a conversation's start, the answers to the pre-chat form, and what stays of a page's query. */
export class VisitorContext1796774400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE conversation ADD COLUMN context jsonb, ADD COLUMN pre_chat jsonb');
    await runner.query(`ALTER TABLE channel ADD COLUMN kept_query_params text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE channel DROP COLUMN kept_query_params');
    await runner.query('ALTER TABLE conversation DROP COLUMN context, DROP COLUMN pre_chat');
  }
}
