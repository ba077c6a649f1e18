import type { MigrationInterface, QueryRunner } from 'typeorm';

/** First answers of people, and the typical reply time of each channel. */
export class ReplyTimes1796601600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE reply_time');
    await runner.query('DROP TABLE first_response');
  }
}

const UP = [
  `CREATE TABLE first_response (
     workspace_id uuid NOT NULL,
     conversation_id uuid NOT NULL,
     channel_id uuid NOT NULL,
     asked_at timestamptz(3) NOT NULL,
     answered_at timestamptz(3) NOT NULL,
     CONSTRAINT pk_first_response PRIMARY KEY (workspace_id, conversation_id),
     CONSTRAINT fk_first_response_conversation FOREIGN KEY (workspace_id, conversation_id)
       REFERENCES conversation(workspace_id, id) ON DELETE CASCADE
   )`,
  `CREATE INDEX ix_first_response_channel ON first_response (workspace_id, channel_id, answered_at)`,
  `CREATE INDEX ix_first_response_answered_at ON first_response (answered_at)`,
  `CREATE TABLE reply_time (
     workspace_id uuid NOT NULL,
     channel_id uuid NOT NULL,
     seconds integer,
     due_at timestamptz(3) NOT NULL,
     CONSTRAINT pk_reply_time PRIMARY KEY (workspace_id, channel_id),
     CONSTRAINT fk_reply_time_channel FOREIGN KEY (workspace_id, channel_id)
       REFERENCES channel(workspace_id, id) ON DELETE CASCADE
   )`,
  `CREATE INDEX ix_reply_time_due ON reply_time (due_at)`,
];
