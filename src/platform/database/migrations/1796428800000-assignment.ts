import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Conversations that wait for an assignee, the load and turns of members, and assignees who may go offline. */
export class Assignment1796428800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  `UPDATE channel SET routing = routing || '{"reassign_after_minutes": null}'`,
  `CREATE TABLE member_load (
     workspace_id uuid NOT NULL,
     member_id uuid NOT NULL,
     open_count integer NOT NULL,
     CONSTRAINT pk_member_load PRIMARY KEY (workspace_id, member_id),
     CONSTRAINT fk_member_load_member FOREIGN KEY (workspace_id, member_id) REFERENCES member(workspace_id, id)
   )`,
  `INSERT INTO member_load (workspace_id, member_id, open_count)
   SELECT workspace_id, assignee_id, count(*) FROM conversation
   WHERE status = 'open' AND assignee_id IS NOT NULL GROUP BY workspace_id, assignee_id`,
  `CREATE TABLE assignment_request (
     workspace_id uuid NOT NULL,
     conversation_id uuid NOT NULL,
     channel_id uuid NOT NULL,
     priority_rank smallint NOT NULL,
     waiting_since timestamptz(3),
     assignee_id uuid,
     excluded_member_id uuid,
     requested_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
     CONSTRAINT pk_assignment_request PRIMARY KEY (workspace_id, conversation_id),
     CONSTRAINT fk_assignment_request_conversation FOREIGN KEY (workspace_id, conversation_id)
       REFERENCES conversation(workspace_id, id)
   )`,
  `CREATE INDEX ix_assignment_request_order
   ON assignment_request (workspace_id, channel_id, priority_rank, waiting_since, conversation_id)`,
  `CREATE INDEX ix_assignment_request_requested_at ON assignment_request (requested_at)`,
  `CREATE INDEX ix_assignment_request_kept ON assignment_request (requested_at) WHERE "assignee_id" IS NOT NULL`,
  `CREATE TABLE assignment_turn (
     workspace_id uuid NOT NULL,
     channel_id uuid NOT NULL,
     member_id uuid NOT NULL,
     assigned_at timestamptz(3) NOT NULL,
     CONSTRAINT pk_assignment_turn PRIMARY KEY (workspace_id, channel_id, member_id),
     CONSTRAINT fk_assignment_turn_channel FOREIGN KEY (workspace_id, channel_id) REFERENCES channel(workspace_id, id),
     CONSTRAINT fk_assignment_turn_member FOREIGN KEY (workspace_id, member_id) REFERENCES member(workspace_id, id)
   )`,
  `CREATE TABLE assignee_watch (
     workspace_id uuid NOT NULL,
     conversation_id uuid NOT NULL,
     assigned_at timestamptz(3) NOT NULL,
     due_at timestamptz(3) NOT NULL,
     CONSTRAINT pk_assignee_watch PRIMARY KEY (workspace_id, conversation_id),
     CONSTRAINT fk_assignee_watch_conversation FOREIGN KEY (workspace_id, conversation_id)
       REFERENCES conversation(workspace_id, id)
   )`,
  `CREATE INDEX ix_assignee_watch_due ON assignee_watch (due_at)`,
  // modes were stored before they had an effect
  `INSERT INTO assignment_request (workspace_id, conversation_id, channel_id, priority_rank, waiting_since)
   SELECT conversation.workspace_id, conversation.id, channel_id,
          array_position(ARRAY['urgent', 'high', 'medium', 'low', 'none'], priority) - 1, waiting_since
   FROM conversation JOIN channel ON channel.workspace_id = conversation.workspace_id AND channel.id = channel_id
   WHERE conversation.status = 'open' AND control = 'human' AND assignee_id IS NULL
     AND routing ->> 'mode' <> 'manual' AND deleted_at IS NULL`,
];

const DOWN = [
  'DROP TABLE assignee_watch',
  'DROP TABLE assignment_turn',
  'DROP TABLE assignment_request',
  'DROP TABLE member_load',
  `UPDATE channel SET routing = routing - 'reassign_after_minutes'`,
];
