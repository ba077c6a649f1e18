import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The sums that reports are made of, and their backfill. */
export class Reports1796950800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM event_reader WHERE name = 'reports'`);
    for (const table of TABLES) await runner.query(`DROP TABLE ${table}`);
  }
}

const TABLES = ['report_backfill', 'report_state', 'report_merged_tag', 'report_outcome', 'report_fact'];

const UP = [
  `CREATE TABLE report_fact (
     workspace_id uuid NOT NULL,
     member_id uuid NOT NULL,
     tag_id uuid NOT NULL,
     span smallint NOT NULL,
     at timestamptz(3) NOT NULL,
     channel_id uuid NOT NULL,
     created integer NOT NULL DEFAULT 0,
     resolved integer NOT NULL DEFAULT 0,
     reopened integer NOT NULL DEFAULT 0,
     messages_in integer NOT NULL DEFAULT 0,
     messages_out integer NOT NULL DEFAULT 0,
     bot_messages integer NOT NULL DEFAULT 0,
     bot_resolved integer NOT NULL DEFAULT 0,
     csat_1 integer NOT NULL DEFAULT 0,
     csat_2 integer NOT NULL DEFAULT 0,
     csat_3 integer NOT NULL DEFAULT 0,
     csat_4 integer NOT NULL DEFAULT 0,
     csat_5 integer NOT NULL DEFAULT 0,
     first_response_count integer NOT NULL DEFAULT 0,
     resolution_count integer NOT NULL DEFAULT 0,
     first_response_ms bigint NOT NULL DEFAULT 0,
     first_response_business_ms bigint NOT NULL DEFAULT 0,
     resolution_ms bigint NOT NULL DEFAULT 0,
     resolution_business_ms bigint NOT NULL DEFAULT 0,
     first_response_bins numeric NOT NULL DEFAULT 0,
     first_response_business_bins numeric NOT NULL DEFAULT 0,
     resolution_bins numeric NOT NULL DEFAULT 0,
     resolution_business_bins numeric NOT NULL DEFAULT 0,
     CONSTRAINT pk_report_fact PRIMARY KEY (workspace_id, member_id, tag_id, span, at, channel_id),
     CONSTRAINT ck_report_fact_span CHECK (span IN (15, 60, 360, 1440)),
     CONSTRAINT fk_report_fact_workspace FOREIGN KEY (workspace_id) REFERENCES workspace (id) ON DELETE CASCADE
   ) WITH (fillfactor = 70)`,
  'CREATE INDEX ix_report_fact_quarter ON report_fact (at) WHERE span = 15',
  `CREATE TABLE report_outcome (
     workspace_id uuid NOT NULL,
     conversation_id uuid NOT NULL,
     kind text NOT NULL,
     message_id uuid,
     act jsonb NOT NULL,
     CONSTRAINT pk_report_outcome PRIMARY KEY (workspace_id, conversation_id, kind),
     CONSTRAINT fk_report_outcome_conversation FOREIGN KEY (workspace_id, conversation_id)
       REFERENCES conversation (workspace_id, id) ON DELETE CASCADE
   )`,
  `CREATE TABLE report_merged_tag (
     workspace_id uuid NOT NULL,
     tag_id uuid NOT NULL,
     into_id uuid NOT NULL,
     CONSTRAINT pk_report_merged_tag PRIMARY KEY (workspace_id, tag_id),
     CONSTRAINT fk_report_merged_tag_workspace FOREIGN KEY (workspace_id) REFERENCES workspace (id) ON DELETE CASCADE
   )`,
  'CREATE INDEX ix_report_merged_tag_into ON report_merged_tag (workspace_id, into_id)',
  `CREATE TABLE report_state (
     one boolean NOT NULL DEFAULT true,
     counted_from timestamptz(3) NOT NULL,
     queued boolean NOT NULL,
     summed_until timestamptz(3) NOT NULL,
     CONSTRAINT pk_report_state PRIMARY KEY (one),
     CONSTRAINT ck_report_state_one CHECK (one)
   )`,
  `CREATE TABLE report_backfill (
     workspace_id uuid NOT NULL,
     after_id uuid NOT NULL,
     barrier bigint NOT NULL,
     queued_at timestamptz(3) NOT NULL,
     CONSTRAINT pk_report_backfill PRIMARY KEY (workspace_id),
     CONSTRAINT fk_report_backfill_workspace FOREIGN KEY (workspace_id) REFERENCES workspace (id) ON DELETE CASCADE
   )`,
  // the consumer begins before the time from which it counts, so that it reads all events from then on
  `INSERT INTO event_reader (name, since, horizon)
   SELECT 'reports', settled, settled FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS settled) AS log`,
  `INSERT INTO report_state (counted_from, queued, summed_until)
   SELECT CASE WHEN used THEN clock_timestamp() + interval '1 second' ELSE 'epoch' END, NOT used,
          date_trunc('hour', clock_timestamp(), 'UTC')
   FROM (SELECT EXISTS (SELECT FROM workspace) AS used) AS database`,
];
