import { MigrationInterface, QueryRunner } from 'typeorm';

/** Erasures whose content is still being scrubbed, slice by slice, and is hidden meanwhile. */
export class Erasures1796083200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  `CREATE TABLE erasure (
     workspace_id uuid NOT NULL,
     id uuid NOT NULL,
     requested_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
     scrubbed integer NOT NULL DEFAULT 0,
     CONSTRAINT pk_erasure PRIMARY KEY (workspace_id, id),
     CONSTRAINT fk_erasure_workspace FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
   )`,
  `CREATE TABLE erased_subject (
     workspace_id uuid NOT NULL,
     id uuid NOT NULL,
     erasure_id uuid NOT NULL,
     kind text NOT NULL,
     step text,
     after bigint NOT NULL DEFAULT 0,
     CONSTRAINT pk_erased_subject PRIMARY KEY (workspace_id, id),
     CONSTRAINT fk_erased_subject_erasure FOREIGN KEY (workspace_id, erasure_id) REFERENCES erasure(workspace_id, id)
       ON DELETE CASCADE,
     CONSTRAINT ck_erased_subject_kind CHECK ("kind" IN ('contact', 'conversation'))
   )`,
  `CREATE INDEX ix_erased_subject_erasure ON erased_subject (workspace_id, erasure_id)`,
];

const DOWN = [`DROP TABLE erased_subject`, `DROP TABLE erasure`];
