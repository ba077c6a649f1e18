import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Participants of conversations, and notifications of members with their settings and mails. */
export class Notifications1796688000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const SETTINGS = `'{"assigned": {"app": true, "email": true}, "mentioned": {"app": true, "email": true}, "replied": {"app": true, "email": false}}'`;

const UP = [
  `ALTER TABLE member ADD COLUMN notification_settings jsonb NOT NULL DEFAULT ${SETTINGS}`,
  `CREATE TABLE participant (
     workspace_id uuid NOT NULL,
     member_id uuid NOT NULL,
     conversation_id uuid NOT NULL,
     assigned_at timestamptz(3),
     wrote_at timestamptz(3),
     mentioned_seq integer,
     acted_at timestamptz(3),
     left_at timestamptz(3),
     looked_seq integer NOT NULL DEFAULT 0,
     looked_at timestamptz(3),
     CONSTRAINT pk_participant PRIMARY KEY (workspace_id, member_id, conversation_id),
     CONSTRAINT fk_participant_member FOREIGN KEY (workspace_id, member_id)
       REFERENCES member(workspace_id, id) ON DELETE CASCADE,
     CONSTRAINT fk_participant_conversation FOREIGN KEY (workspace_id, conversation_id)
       REFERENCES conversation(workspace_id, id) ON DELETE CASCADE
   )`,
  `INSERT INTO participant (workspace_id, member_id, conversation_id, assigned_at, wrote_at, acted_at)
   SELECT workspace_id, member_id, conversation_id, max(assigned_at), max(wrote_at), max(coalesce(assigned_at, wrote_at))
   FROM (
     SELECT workspace_id, assignee_id AS member_id, id AS conversation_id, updated_at AS assigned_at, NULL::timestamptz AS wrote_at
     FROM conversation WHERE assignee_id IS NOT NULL
     UNION ALL
     SELECT workspace_id, sender_id, conversation_id, NULL, min(created_at)
     FROM message WHERE sender_type = 'agent' GROUP BY workspace_id, sender_id, conversation_id
   ) AS act
   WHERE EXISTS (SELECT FROM member WHERE member.workspace_id = act.workspace_id AND member.id = act.member_id)
   GROUP BY workspace_id, member_id, conversation_id`,
  `INSERT INTO conversation_facet (workspace_id, facet, conversation_id, active_at)
   SELECT participant.workspace_id, 'participant:' || member_id, conversation_id, last_activity_at
   FROM participant JOIN conversation
     ON conversation.workspace_id = participant.workspace_id AND conversation.id = participant.conversation_id`,
  `CREATE INDEX ix_participant_conversation ON participant (workspace_id, conversation_id)`,
  `CREATE INDEX ix_participant_mention ON participant (workspace_id, member_id) WHERE "mentioned_seq" > "looked_seq"`,
  `CREATE TABLE notification (
     workspace_id uuid NOT NULL,
     id uuid NOT NULL,
     member_id uuid NOT NULL,
     type text NOT NULL,
     channel_id uuid NOT NULL,
     conversation_id uuid NOT NULL,
     message_id uuid,
     seq integer,
     actor jsonb NOT NULL,
     in_app boolean NOT NULL,
     mail_due boolean NOT NULL,
     read_at timestamptz(3),
     created_at timestamptz(3) NOT NULL,
     CONSTRAINT pk_notification PRIMARY KEY (workspace_id, id),
     CONSTRAINT fk_notification_member FOREIGN KEY (workspace_id, member_id)
       REFERENCES member(workspace_id, id) ON DELETE CASCADE,
     CONSTRAINT fk_notification_conversation FOREIGN KEY (workspace_id, conversation_id)
       REFERENCES conversation(workspace_id, id) ON DELETE CASCADE,
     CONSTRAINT ck_notification_type CHECK ("type" IN ('assigned', 'mentioned', 'replied'))
   )`,
  `CREATE INDEX ix_notification_member ON notification (workspace_id, member_id, id)`,
  `CREATE INDEX ix_notification_unread ON notification (workspace_id, member_id, id) WHERE "read_at" IS NULL`,
  `CREATE UNIQUE INDEX uq_notification_replied ON notification (workspace_id, member_id, conversation_id)
     WHERE "type" = 'replied' AND "read_at" IS NULL`,
  `CREATE INDEX ix_notification_conversation ON notification (workspace_id, conversation_id)`,
  `CREATE INDEX ix_notification_created_at ON notification (created_at)`,
  `CREATE TABLE notification_mail (
     workspace_id uuid NOT NULL,
     member_id uuid NOT NULL,
     due_at timestamptz(3),
     mailed_at timestamptz(3),
     CONSTRAINT pk_notification_mail PRIMARY KEY (workspace_id, member_id),
     CONSTRAINT fk_notification_mail_member FOREIGN KEY (workspace_id, member_id)
       REFERENCES member(workspace_id, id) ON DELETE CASCADE
   )`,
  `CREATE INDEX ix_notification_mail_due ON notification_mail (due_at) WHERE "due_at" IS NOT NULL`,
];

const DOWN = [
  'DROP TABLE notification_mail',
  'DROP TABLE notification',
  'DROP TABLE participant',
  'ALTER TABLE member DROP COLUMN notification_settings',
];
