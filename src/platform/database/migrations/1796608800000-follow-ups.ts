import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Answers that go to the contact by mail while they stay unread, and addresses that want none. */
export class FollowUps1796608800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  `ALTER TABLE channel ADD COLUMN followup_email_minutes integer, ADD COLUMN reply_email text`,
  `CREATE INDEX ix_channel_followup ON channel (workspace_id, id) WHERE "followup_email_minutes" IS NOT NULL`,
  `CREATE TABLE follow_up (
     workspace_id uuid NOT NULL,
     conversation_id uuid NOT NULL,
     due_at timestamptz(3),
     mailed_seq integer NOT NULL DEFAULT 0,
     CONSTRAINT pk_follow_up PRIMARY KEY (workspace_id, conversation_id),
     CONSTRAINT fk_follow_up_conversation FOREIGN KEY (workspace_id, conversation_id)
       REFERENCES conversation(workspace_id, id) ON DELETE CASCADE
   )`,
  `CREATE INDEX ix_follow_up_due ON follow_up (due_at) WHERE "due_at" IS NOT NULL`,
  `CREATE TABLE unsubscribed_address (
     workspace_id uuid NOT NULL,
     address_hash text NOT NULL,
     unsubscribed_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
     CONSTRAINT pk_unsubscribed_address PRIMARY KEY (workspace_id, address_hash),
     CONSTRAINT fk_unsubscribed_address_workspace FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
   )`,
  `CREATE TABLE unsubscribe_link (
     token_hash text NOT NULL,
     workspace_id uuid NOT NULL,
     contact_id uuid NOT NULL,
     address_hash text NOT NULL,
     created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
     CONSTRAINT pk_unsubscribe_link PRIMARY KEY (token_hash),
     CONSTRAINT fk_unsubscribe_link_contact FOREIGN KEY (workspace_id, contact_id)
       REFERENCES contact(workspace_id, id) ON DELETE CASCADE
   )`,
  `CREATE INDEX ix_unsubscribe_link_created_at ON unsubscribe_link (created_at)`,
];
const DOWN = [
  `DROP TABLE unsubscribe_link`,
  `DROP TABLE unsubscribed_address`,
  `DROP TABLE follow_up`,
  `DROP INDEX ix_channel_followup`,
  `ALTER TABLE channel DROP COLUMN followup_email_minutes, DROP COLUMN reply_email`,
];
