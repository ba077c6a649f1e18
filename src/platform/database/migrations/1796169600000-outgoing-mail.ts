import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mails to send. */
export class OutgoingMail1796169600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE outgoing_mail');
  }
}

const UP = [
  `CREATE TABLE outgoing_mail (
     id uuid NOT NULL,
     workspace_id uuid,
     kind text NOT NULL,
     subject_id uuid NOT NULL,
     data text,
     status text NOT NULL DEFAULT 'pending',
     attempts integer NOT NULL DEFAULT 0,
     due_at timestamptz(3) NOT NULL,
     recipient text,
     last_error text,
     created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
     ended_at timestamptz(3),
     CONSTRAINT pk_outgoing_mail PRIMARY KEY (id),
     CONSTRAINT fk_outgoing_mail_workspace FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE,
     CONSTRAINT ck_outgoing_mail_status CHECK ("status" IN ('pending', 'sent', 'cancelled', 'failed'))
   )`,
  `CREATE INDEX ix_outgoing_mail_due ON outgoing_mail (due_at) WHERE "status" = 'pending'`,
  `CREATE INDEX ix_outgoing_mail_subject ON outgoing_mail (subject_id, kind)`,
  `CREATE INDEX ix_outgoing_mail_failed ON outgoing_mail (workspace_id, id) WHERE "status" = 'failed'`,
  `CREATE INDEX ix_outgoing_mail_created_at ON outgoing_mail (created_at)`,
];
