import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deliveries to bots, and the secret that still signs them for a day after its rotation. */
export class BotTurns1797033600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  'ALTER TABLE bot ADD COLUMN previous_secret text, ADD COLUMN previous_secret_until timestamptz(3)',
  'UPDATE bot SET timeout_seconds = 600 WHERE timeout_seconds > 600',
  `CREATE TABLE bot_turn (
     workspace_id uuid NOT NULL,
     id uuid NOT NULL,
     kind text NOT NULL,
     conversation_id uuid NOT NULL,
     bot_id uuid NOT NULL,
     message_id uuid,
     seq integer NOT NULL,
     reason text,
     state text NOT NULL,
     attempts integer NOT NULL DEFAULT 0,
     due_at timestamptz(3),
     deadline_at timestamptz(3),
     has_message boolean NOT NULL DEFAULT false,
     lease uuid,
     created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
     ended_at timestamptz(3),
     CONSTRAINT pk_bot_turn PRIMARY KEY (workspace_id, id),
     CONSTRAINT ck_bot_turn_kind CHECK (kind IN ('message', 'ended')),
     CONSTRAINT ck_bot_turn_state CHECK (state IN ('queued', 'open', 'awaiting', 'answered', 'cancelled', 'failed')),
     CONSTRAINT fk_bot_turn_conversation FOREIGN KEY (workspace_id, conversation_id)
       REFERENCES conversation (workspace_id, id) ON DELETE CASCADE,
     CONSTRAINT fk_bot_turn_bot FOREIGN KEY (workspace_id, bot_id) REFERENCES bot (workspace_id, id) ON DELETE CASCADE
   )`,
  'CREATE INDEX ix_bot_turn_due ON bot_turn (due_at) WHERE due_at IS NOT NULL',
  'CREATE INDEX ix_bot_turn_conversation ON bot_turn (workspace_id, conversation_id, seq) WHERE ended_at IS NULL',
  'CREATE INDEX ix_bot_turn_created ON bot_turn (created_at)',
];

const DOWN = ['DROP TABLE bot_turn', 'ALTER TABLE bot DROP COLUMN previous_secret, DROP COLUMN previous_secret_until'];
