import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Things with long texts that the consumer of search leaves to a worker. */
export class SearchPostponed1797069600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE search_postponed (
        workspace_id uuid NOT NULL,
        id uuid NOT NULL,
        type text NOT NULL,
        channel_id uuid,
        postponed_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_search_postponed PRIMARY KEY (workspace_id, id),
        CONSTRAINT ck_search_postponed_type CHECK ("type" IN ('message', 'conversation', 'contact'))
      )`);
    await runner.query('CREATE INDEX ix_search_postponed_postponed_at ON search_postponed (postponed_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE search_postponed');
  }
}
