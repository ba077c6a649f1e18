import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The member that the rating of a conversation counts for. */
export class Ratings1796605200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE conversation ADD COLUMN csat_member_id uuid');
    await runner.query(
      `ALTER TABLE conversation ADD CONSTRAINT fk_conversation_csat_member
       FOREIGN KEY (workspace_id, csat_member_id) REFERENCES member(workspace_id, id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE conversation DROP COLUMN csat_member_id');
  }
}
