import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When a webhook was disabled, so that the events before, which were still unread then, end as failed deliveries. The
 * column is nullable: instances of the release before disable webhooks without it. They also forgot webhooks that were
 * deleted during an attempt: those are due again, and a worker deletes their rows.
 */
export class WebhookEnds1797066000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook ADD COLUMN disabled_at timestamp(3) with time zone');
    await runner.query(`
      CREATE INDEX ix_webhook_disabled_at ON webhook (disabled_at) WHERE disabled_at IS NOT NULL`);
    await runner.query(`
      UPDATE webhook SET due_at = clock_timestamp() WHERE deleted_at IS NOT NULL AND due_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook DROP COLUMN disabled_at');
  }
}
