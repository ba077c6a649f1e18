import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Saved filters of the inbox. */
export class Views1796518800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE inbox_view (
        workspace_id uuid NOT NULL,
        id uuid NOT NULL,
        name text NOT NULL,
        name_key text NOT NULL,
        filters jsonb NOT NULL,
        shared boolean NOT NULL,
        position integer NOT NULL,
        created_by uuid,
        created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT pk_inbox_view PRIMARY KEY (workspace_id, id),
        CONSTRAINT fk_inbox_view_workspace FOREIGN KEY (workspace_id) REFERENCES workspace (id) ON DELETE CASCADE,
        CONSTRAINT fk_inbox_view_created_by FOREIGN KEY (workspace_id, created_by) REFERENCES member (workspace_id, id)
      )`);
    await runner.query(
      'CREATE UNIQUE INDEX uq_inbox_view_own ON inbox_view (workspace_id, created_by, name_key) WHERE NOT "shared"',
    );
    await runner.query(
      'CREATE UNIQUE INDEX uq_inbox_view_shared ON inbox_view (workspace_id, name_key) WHERE "shared"',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE inbox_view');
  }
}
