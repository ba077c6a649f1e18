import type { MigrationInterface, QueryRunner } from 'typeorm';

const PERIOD = (time: string) => `date_bin('5 seconds', ${time}, timestamptz '2000-01-01 00:00:00+00')`;

const INDEXED = {
  ix_conversation_activity: 'workspace_id',
  ix_conversation_channel: 'workspace_id, channel_id, status',
  ix_conversation_assignee: 'workspace_id, assignee_id',
};

function indexes(...ends: string[]): string[] {
  return Object.entries(INDEXED).map(
    ([name, columns]) => `CREATE INDEX ${name} ON conversation (${[columns, ...ends].join(', ')})`,
  );
}

/**
 * Indexes conversations by the five seconds of their last activity, so that a further message within them changes no
 * index. A trigger keeps the column, because older instances do not know it, and because TypeORM describes generated
 * columns in a table of its own. The pages of the table are kept a third empty, for the new versions of the rows.
 */
export class ActivityPeriods1797073200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [
      ...Object.keys(INDEXED).map(name => `DROP INDEX ${name}`),
      'ALTER TABLE conversation SET (fillfactor = 70)',
      `ALTER TABLE conversation ADD COLUMN activity_period timestamptz(3) NOT NULL
         GENERATED ALWAYS AS (${PERIOD('last_activity_at')}) STORED`,
      'ALTER TABLE conversation ALTER COLUMN activity_period DROP EXPRESSION',
      `CREATE FUNCTION set_activity_period() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         NEW.activity_period := ${PERIOD('NEW.last_activity_at')};
         RETURN NEW;
       END $$`,
      `CREATE TRIGGER tr_conversation_activity BEFORE INSERT OR UPDATE OF last_activity_at ON conversation FOR EACH ROW
       WHEN (NEW.activity_period IS DISTINCT FROM ${PERIOD('NEW.last_activity_at')})
       EXECUTE FUNCTION set_activity_period()`,
      'ALTER TABLE conversation ENABLE ALWAYS TRIGGER tr_conversation_activity',
      ...indexes('activity_period'),
    ]) {
      await runner.query(sql);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const sql of [
      'DROP TRIGGER tr_conversation_activity ON conversation',
      'DROP FUNCTION set_activity_period()',
      'ALTER TABLE conversation DROP COLUMN activity_period',
      'ALTER TABLE conversation RESET (fillfactor)',
      ...indexes('last_activity_at', 'id'),
    ]) {
      await runner.query(sql);
    }
  }
}
