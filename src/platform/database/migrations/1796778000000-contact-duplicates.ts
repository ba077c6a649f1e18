import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Contacts with the same e-mail, verified and newest first. */
export class ContactDuplicates1796778000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX ix_contact_email ON contact (workspace_id, email, verified, id)
       WHERE "email" IS NOT NULL AND "ended_at" IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ix_contact_email');
  }
}
