import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each channel counts the generations of its visitors' tokens, of verified and of unverified contacts apart: raising one
 * refuses all tokens of that kind that were given out before.
 */
export class ChannelTokenGenerations1795996800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE channel
        ADD COLUMN verified_generation integer NOT NULL DEFAULT '1',
        ADD COLUMN unverified_generation integer NOT NULL DEFAULT '1'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE channel DROP COLUMN verified_generation, DROP COLUMN unverified_generation');
  }
}
