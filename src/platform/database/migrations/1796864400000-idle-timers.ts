import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Timers of idle conversations. */
export class IdleTimers1796864400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idle_timer');
  }
}

const UP = [
  `CREATE TABLE idle_timer (
     workspace_id uuid NOT NULL,
     conversation_id uuid NOT NULL,
     due_at timestamptz(3) NOT NULL,
     CONSTRAINT pk_idle_timer PRIMARY KEY (workspace_id, conversation_id),
     CONSTRAINT fk_idle_timer_conversation FOREIGN KEY (workspace_id, conversation_id)
       REFERENCES conversation (workspace_id, id) ON DELETE CASCADE
   )`,
  'CREATE INDEX ix_idle_timer_due ON idle_timer (due_at)',
  // settings of before take effect: until now they were stored only
  `INSERT INTO channel_sweep (id, workspace_id, channel_id, task, after_id, requested_at)
   SELECT gen_random_uuid(), workspace_id, id, 'idle_timers', '00000000-0000-0000-0000-000000000000',
          clock_timestamp()
   FROM channel WHERE auto_resolve_hours IS NOT NULL AND deleted_at IS NULL`,
];
