import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Webhooks: endpoints, copies of the events that they selected, and deliveries. */
export class Webhooks1797040800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  `CREATE TABLE webhook (
     workspace_id uuid NOT NULL,
     id uuid NOT NULL,
     url text NOT NULL,
     events text[] NOT NULL,
     channel_ids uuid[],
     include_private boolean NOT NULL DEFAULT false,
     description text,
     enabled boolean NOT NULL DEFAULT true,
     disabled_reason text,
     secret text,
     previous_secret text,
     previous_secret_until timestamptz(3),
     enabled_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
     ended_number bigint NOT NULL DEFAULT 0,
     failing_since timestamptz(3),
     last_success_at timestamptz(3),
     due_at timestamptz(3),
     lease uuid,
     leased_until timestamptz(3),
     deleted_at timestamptz(3),
     created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
     updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
     CONSTRAINT pk_webhook PRIMARY KEY (workspace_id, id),
     CONSTRAINT fk_webhook_workspace FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE,
     CONSTRAINT ck_webhook_disabled_reason CHECK ("disabled_reason" IN ('gone', 'failing'))
   )`,
  `CREATE INDEX ix_webhook_due ON webhook (due_at) WHERE "due_at" IS NOT NULL`,
  `CREATE INDEX ix_webhook_enabled ON webhook (workspace_id) WHERE "enabled"`,
  `CREATE TABLE webhook_event (
     workspace_id uuid NOT NULL,
     id uuid NOT NULL,
     position bigint NOT NULL,
     type text NOT NULL,
     channel_id uuid,
     conversation_id uuid,
     contact_id uuid,
     actor jsonb NOT NULL,
     payload jsonb NOT NULL,
     payload_version smallint NOT NULL,
     recorded_at timestamptz(3) NOT NULL,
     cursor text NOT NULL,
     CONSTRAINT pk_webhook_event PRIMARY KEY (workspace_id, id),
     CONSTRAINT fk_webhook_event_workspace FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
   )`,
  `CREATE INDEX ix_webhook_event_conversation ON webhook_event (conversation_id, position)
     WHERE "conversation_id" IS NOT NULL`,
  `CREATE INDEX ix_webhook_event_contact ON webhook_event (contact_id, position)
     WHERE "contact_id" IS NOT NULL AND "conversation_id" IS NULL`,
  `CREATE INDEX ix_webhook_event_position ON webhook_event (workspace_id, position)`,
  `CREATE INDEX ix_webhook_event_recorded_at ON webhook_event (recorded_at)`,
  `CREATE TABLE webhook_replay (
     workspace_id uuid NOT NULL,
     id uuid NOT NULL,
     webhook_id uuid NOT NULL,
     positions bigint[] NOT NULL,
     done integer NOT NULL DEFAULT 0,
     due_at timestamptz(3),
     created_at timestamptz(3) NOT NULL,
     CONSTRAINT pk_webhook_replay PRIMARY KEY (workspace_id, id),
     CONSTRAINT fk_webhook_replay_webhook FOREIGN KEY (workspace_id, webhook_id)
       REFERENCES webhook(workspace_id, id) ON DELETE CASCADE
   )`,
  `CREATE UNIQUE INDEX uq_webhook_replay_running ON webhook_replay (workspace_id, webhook_id) WHERE "due_at" IS NOT NULL`,
  `CREATE INDEX ix_webhook_replay_due ON webhook_replay (due_at) WHERE "due_at" IS NOT NULL`,
  `CREATE TABLE webhook_delivery (
     workspace_id uuid NOT NULL,
     id uuid NOT NULL,
     number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
     webhook_id uuid NOT NULL,
     event_id uuid NOT NULL,
     type text NOT NULL,
     conversation_id uuid,
     lane text NOT NULL,
     status text NOT NULL DEFAULT 'pending',
     attempts jsonb NOT NULL DEFAULT '[]',
     attempt_count integer NOT NULL DEFAULT 0,
     due_at timestamptz(3),
     created_at timestamptz(3) NOT NULL,
     CONSTRAINT pk_webhook_delivery PRIMARY KEY (workspace_id, id),
     CONSTRAINT fk_webhook_delivery_webhook FOREIGN KEY (workspace_id, webhook_id)
       REFERENCES webhook(workspace_id, id) ON DELETE CASCADE,
     CONSTRAINT fk_webhook_delivery_event FOREIGN KEY (workspace_id, event_id)
       REFERENCES webhook_event(workspace_id, id) ON DELETE CASCADE,
     CONSTRAINT ck_webhook_delivery_lane CHECK ("lane" IN ('live', 'replay', 'retry')),
     CONSTRAINT ck_webhook_delivery_status CHECK ("status" IN ('pending', 'delivered', 'failed'))
   )`,
  `CREATE INDEX ix_webhook_delivery_webhook ON webhook_delivery (workspace_id, webhook_id, id)`,
  `CREATE INDEX ix_webhook_delivery_number ON webhook_delivery (workspace_id, webhook_id, number)`,
  `CREATE INDEX ix_webhook_delivery_lane ON webhook_delivery (workspace_id, webhook_id, lane, number)
     WHERE "status" = 'pending'`,
  `CREATE INDEX ix_webhook_delivery_due ON webhook_delivery (workspace_id, webhook_id, due_at)
     WHERE "status" = 'pending'`,
  `CREATE INDEX ix_webhook_delivery_event ON webhook_delivery (workspace_id, event_id)`,
  `CREATE INDEX ix_webhook_delivery_created_at ON webhook_delivery (created_at)`,
];

const DOWN = [
  'DROP TABLE webhook_delivery',
  'DROP TABLE webhook_replay',
  'DROP TABLE webhook_event',
  'DROP TABLE webhook',
];
