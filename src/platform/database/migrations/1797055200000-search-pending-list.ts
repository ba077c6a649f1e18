import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets the search index take the documents of a unit of work at once. The limit bounds what an older version leaves there. */
export class SearchPendingList1797055200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER INDEX ix_search_document_terms SET (fastupdate = on, gin_pending_list_limit = 1024)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER INDEX ix_search_document_terms SET (fastupdate = off)');
    await runner.query('ALTER INDEX ix_search_document_terms RESET (gin_pending_list_limit)');
    await runner.query(`SELECT gin_clean_pending_list('ix_search_document_terms')`);
  }
}
