import { MigrationInterface, QueryRunner } from 'typeorm';

/** Durable readers of the event log, and the audit log that the first of them writes. */
export class Readers1795392000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  // the cluster and database whose transactions the log's numbers are; null until an instance has looked
  `ALTER TABLE event_log ADD home text`,
  `CREATE TABLE event_reader (
        name text NOT NULL,
        since xid8 NOT NULL DEFAULT '0',
        horizon xid8 NOT NULL DEFAULT '0',
        position bigint NOT NULL DEFAULT 0,
        passed bigint array NOT NULL DEFAULT '{}',
        CONSTRAINT pk_event_reader PRIMARY KEY (name)
      )`,
  `CREATE TABLE audit_entry (
        workspace_id uuid NOT NULL,
        id uuid NOT NULL,
        action text NOT NULL,
        actor_type text NOT NULL,
        actor_id uuid,
        subject_type text NOT NULL,
        subject_id uuid,
        details jsonb NOT NULL,
        request_id text,
        address text,
        user_agent text,
        recorded_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_audit_entry PRIMARY KEY (workspace_id, id)
      )`,
  `CREATE INDEX ix_audit_entry_recorded_at ON audit_entry (workspace_id, recorded_at, id)`,
  `CREATE INDEX ix_audit_entry_action ON audit_entry (workspace_id, action, recorded_at, id)`,
  `CREATE INDEX ix_audit_entry_actor ON audit_entry (workspace_id, actor_id, recorded_at, id)`,
  `CREATE INDEX ix_audit_entry_subject ON audit_entry (workspace_id, subject_id, recorded_at, id)`,
  `CREATE INDEX ix_audit_entry_age ON audit_entry (recorded_at)`,
  `ALTER TABLE audit_entry ADD CONSTRAINT fk_audit_entry_workspace FOREIGN KEY (workspace_id)
     REFERENCES workspace(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
];

const DOWN = [`DROP TABLE audit_entry`, `DROP TABLE event_reader`, `ALTER TABLE event_log DROP home`];
