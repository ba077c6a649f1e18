import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The index of full-text search, and the progress of writing it for older rows. */
export class FullTextSearch1796947200000 implements MigrationInterface {
  name = 'FullTextSearch1796947200000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['search_backfill', 'search_document', 'search_segment']) {
      await runner.query(`DROP TABLE ${table}`);
    }
    await runner.query(`DELETE FROM event_reader WHERE name = 'search'`);
  }
}

const UP = [
  `CREATE TABLE search_segment (
     id integer GENERATED ALWAYS AS IDENTITY,
     workspace_id uuid NOT NULL,
     source text NOT NULL,
     documents integer NOT NULL,
     open boolean NOT NULL,
     first_at timestamptz(3) NOT NULL,
     last_at timestamptz(3) NOT NULL,
     CONSTRAINT pk_search_segment PRIMARY KEY (id),
     CONSTRAINT ck_search_segment_source CHECK ("source" IN ('log', 'message', 'conversation', 'contact')),
     CONSTRAINT fk_search_segment_workspace FOREIGN KEY (workspace_id) REFERENCES workspace (id) ON DELETE CASCADE
   )`,
  'CREATE INDEX ix_search_segment_workspace ON search_segment (workspace_id, last_at)',
  'CREATE UNIQUE INDEX uq_search_segment_open ON search_segment (workspace_id, source) WHERE "open"',
  `CREATE TABLE search_document (
     workspace_id uuid NOT NULL,
     id uuid NOT NULL,
     type text NOT NULL,
     segment_id integer NOT NULL,
     channel_id uuid,
     created_at timestamptz(3) NOT NULL,
     terms tsvector NOT NULL,
     CONSTRAINT pk_search_document PRIMARY KEY (workspace_id, id),
     CONSTRAINT ck_search_document_type CHECK ("type" IN ('message', 'conversation', 'contact'))
   )`,
  // an unsorted list of new entries would be read by each search
  'CREATE INDEX ix_search_document_terms ON search_document USING gin (terms) WITH (fastupdate = off)',
  // the planner never sees the lexemes of a query, so it needs no statistics of terms
  'ALTER TABLE search_document ALTER COLUMN terms SET STATISTICS 0',
  `CREATE TABLE search_backfill (
     id uuid NOT NULL,
     workspace_id uuid NOT NULL,
     type text NOT NULL,
     before_id uuid NOT NULL,
     requested_at timestamptz(3) NOT NULL,
     CONSTRAINT pk_search_backfill PRIMARY KEY (id),
     CONSTRAINT uq_search_backfill_type UNIQUE (workspace_id, type),
     CONSTRAINT fk_search_backfill_workspace FOREIGN KEY (workspace_id) REFERENCES workspace (id) ON DELETE CASCADE
   )`,
  `INSERT INTO search_backfill (id, workspace_id, type, before_id, requested_at)
   SELECT gen_random_uuid(), workspace.id, type, 'ffffffff-ffff-ffff-ffff-ffffffffffff', clock_timestamp()
   FROM workspace CROSS JOIN unnest(ARRAY['message', 'conversation', 'contact']) AS type`,
];
