import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A pasted address is found by how its local part ends: of trigrams each shares most with thousands of others. */
export class EmailSearch1795824000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(INDEX);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ix_contact_email_backwards');
  }
}

const INDEX = `
  CREATE INDEX ix_contact_email_backwards ON contact
    (workspace_id, reverse(lower(split_part(email, '@', 1))) text_pattern_ops) WHERE email IS NOT NULL`;
