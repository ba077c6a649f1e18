import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The avatar of a message's sender as of sending. The column is nullable and has no default: adding it rewrites no row,
 * and instances of the release before can still insert messages.
 */
export class SenderAvatars1797048000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE message ADD COLUMN sender_avatar_url text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE message DROP COLUMN sender_avatar_url');
  }
}
