import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Snoozes that end, handoffs, taking a resolve back, and visitors who end their chat. */
export class SnoozeAndHandoff1796342400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE conversation ADD COLUMN handoff jsonb, ADD COLUMN before_resolve jsonb');
    await runner.query(
      `CREATE INDEX ix_conversation_snoozed ON conversation (snoozed_until)
       WHERE "status" = 'snoozed' AND "snoozed_until" IS NOT NULL`,
    );
    await runner.query(`UPDATE channel SET widget_config = jsonb_set(widget_config, '{features,end_chat}', 'false')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE channel SET widget_config = widget_config #- '{features,end_chat}'`);
    await runner.query('DROP INDEX ix_conversation_snoozed');
    await runner.query('ALTER TABLE conversation DROP COLUMN handoff, DROP COLUMN before_resolve');
  }
}
