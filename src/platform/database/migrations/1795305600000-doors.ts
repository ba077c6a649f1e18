import { MigrationInterface, QueryRunner } from 'typeorm';

/** Single sign-on, invites, bots with an address, and who did it from where. */
export class Doors1795305600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  `ALTER TABLE event ADD request_id text, ADD address text, ADD user_agent text`,
  `CREATE INDEX ix_event_workspace ON event (workspace_id, xid)`,
  `ALTER TABLE event_log ADD pruned_xid xid8 NOT NULL DEFAULT '0'`,
  `ALTER TABLE session ADD api_key_id uuid`,
  `CREATE INDEX ix_session_api_key ON session (workspace_id, api_key_id) WHERE "api_key_id" IS NOT NULL`,
  `ALTER TABLE session ADD CONSTRAINT fk_session_api_key FOREIGN KEY (workspace_id, api_key_id)
     REFERENCES api_key(workspace_id, id) ON DELETE NO ACTION ON UPDATE NO ACTION`,
  `CREATE INDEX ix_session_member ON session (workspace_id, member_id)`,
  `CREATE TABLE sso_ticket (
        workspace_id uuid NOT NULL,
        id uuid NOT NULL,
        ticket_hash text NOT NULL,
        member_id uuid NOT NULL,
        api_key_id uuid NOT NULL,
        channel_ids uuid array,
        expires_at timestamptz(3) NOT NULL,
        spent_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT uq_sso_ticket_hash UNIQUE (ticket_hash),
        CONSTRAINT pk_sso_ticket PRIMARY KEY (workspace_id, id)
      )`,
  `CREATE INDEX ix_sso_ticket_member ON sso_ticket (workspace_id, member_id)`,
  `CREATE INDEX ix_sso_ticket_expires_at ON sso_ticket (expires_at)`,
  `ALTER TABLE sso_ticket ADD CONSTRAINT fk_sso_ticket_member FOREIGN KEY (workspace_id, member_id)
     REFERENCES member(workspace_id, id) ON DELETE CASCADE ON UPDATE NO ACTION`,
  `ALTER TABLE sso_ticket ADD CONSTRAINT fk_sso_ticket_api_key FOREIGN KEY (workspace_id, api_key_id)
     REFERENCES api_key(workspace_id, id) ON DELETE CASCADE ON UPDATE NO ACTION`,
  `CREATE TABLE invite (
        workspace_id uuid NOT NULL,
        id uuid NOT NULL,
        email text NOT NULL,
        role text NOT NULL,
        channel_ids uuid array,
        status text NOT NULL DEFAULT 'pending',
        token_hash text NOT NULL,
        invited_by uuid,
        api_key_id uuid,
        expires_at timestamptz(3) NOT NULL,
        accepted_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT uq_invite_token UNIQUE (token_hash),
        CONSTRAINT ck_invite_role CHECK ("role" IN ('owner', 'admin', 'agent')),
        CONSTRAINT ck_invite_status CHECK ("status" IN ('pending', 'accepted', 'revoked')),
        CONSTRAINT pk_invite PRIMARY KEY (workspace_id, id)
      )`,
  `CREATE UNIQUE INDEX uq_invite_pending ON invite (workspace_id, email) WHERE "status" = 'pending'`,
  `ALTER TABLE invite ADD CONSTRAINT fk_invite_workspace FOREIGN KEY (workspace_id)
     REFERENCES workspace(id) ON DELETE CASCADE ON UPDATE NO ACTION`,
  `ALTER TABLE invite ADD CONSTRAINT fk_invite_invited_by FOREIGN KEY (workspace_id, invited_by)
     REFERENCES member(workspace_id, id) ON DELETE NO ACTION ON UPDATE NO ACTION`,
  `ALTER TABLE invite ADD CONSTRAINT fk_invite_api_key FOREIGN KEY (workspace_id, api_key_id)
     REFERENCES api_key(workspace_id, id) ON DELETE NO ACTION ON UPDATE NO ACTION`,
  `ALTER TABLE bot ADD description text, ADD avatar_url text, ADD status text NOT NULL DEFAULT 'enabled',
     ADD webhook_url text, ADD history_count integer NOT NULL DEFAULT 10,
     ADD timeout_seconds integer NOT NULL DEFAULT 120, ADD secret text, ADD deleted_at timestamptz(3)`,
  `ALTER TABLE bot ADD CONSTRAINT ck_bot_status CHECK ("status" IN ('enabled', 'disabled'))`,
  `ALTER TABLE bot ADD CONSTRAINT ck_bot_history_count CHECK ("history_count" BETWEEN 0 AND 10)`,
  `CREATE INDEX ix_conversation_bot ON conversation (workspace_id, bot_id) WHERE "status" = 'pending'`,
];

const DOWN = [
  `DROP INDEX ix_conversation_bot`,
  `ALTER TABLE bot DROP description, DROP avatar_url, DROP status, DROP webhook_url, DROP history_count,
     DROP timeout_seconds, DROP secret, DROP deleted_at`,
  `DROP TABLE invite`,
  `DROP TABLE sso_ticket`,
  `DROP INDEX ix_session_member`,
  `ALTER TABLE session DROP api_key_id`,
  `ALTER TABLE event_log DROP pruned_xid`,
  `DROP INDEX ix_event_workspace`,
  `ALTER TABLE event DROP request_id, DROP address, DROP user_agent`,
];
