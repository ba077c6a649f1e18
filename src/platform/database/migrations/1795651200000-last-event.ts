import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The last event of a conversation, as it stands when it is called: a statement that waits for the conversation's lock
 * sees the log as it was before, and each query of a volatile function sees it anew.
 */
export class LastEvent1795651200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION last_event(uuid)');
  }
}

const UP = `
  CREATE FUNCTION last_event(conversation uuid) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    RETURN (
      SELECT jsonb_build_object('id', id, 'xid', xid::text) FROM event
      WHERE conversation_id = conversation ORDER BY position DESC LIMIT 1
    );
  END
  $$`;
