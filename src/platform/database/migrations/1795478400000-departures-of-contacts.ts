import { MigrationInterface, QueryRunner } from 'typeorm';

/** Contacts that were merged away or erased; what is found again by a contact when it is. */
export class DeparturesOfContacts1795478400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  `ALTER TABLE contact ADD ended_at timestamptz(3), ADD merged_into_id uuid`,
  `ALTER TABLE contact ADD CONSTRAINT fk_contact_merged_into FOREIGN KEY (workspace_id, merged_into_id)
     REFERENCES contact(workspace_id, id) ON DELETE NO ACTION ON UPDATE NO ACTION`,
  `CREATE INDEX ix_contact_merged_into ON contact (workspace_id, merged_into_id) WHERE "merged_into_id" IS NOT NULL`,
  `ALTER TABLE conversation ADD erased_at timestamptz(3)`,
  `CREATE INDEX ix_event_contact ON event (contact_id, "position")
     WHERE contact_id IS NOT NULL AND conversation_id IS NULL`,
  `ALTER TABLE kept_answer ADD about uuid array NOT NULL DEFAULT '{}', ALTER COLUMN answer DROP NOT NULL`,
];

const DOWN = [
  `DELETE FROM kept_answer WHERE answer IS NULL`,
  `ALTER TABLE kept_answer DROP about, ALTER COLUMN answer SET NOT NULL`,
  `DROP INDEX ix_event_contact`,
  `ALTER TABLE conversation DROP erased_at`,
  `ALTER TABLE contact DROP merged_into_id, DROP ended_at`,
];
