import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Two flags of a conversation: it waits for the contact's first message, or for a person's first answer. */
export class FirstMessages1796256000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE conversation DROP COLUMN first_response_due, DROP COLUMN contact_due');
  }
}

const UP = [
  `ALTER TABLE conversation
     ADD COLUMN first_response_due boolean NOT NULL DEFAULT false,
     ADD COLUMN contact_due boolean NOT NULL DEFAULT false`,
  // the contact waits for a first answer
  `UPDATE conversation SET first_response_due = true
   WHERE status <> 'resolved' AND first_response_at IS NULL AND waiting_since IS NOT NULL`,
  // the contact has not written yet
  `UPDATE conversation SET contact_due = true
   WHERE status <> 'resolved' AND waiting_since IS NULL AND NOT EXISTS (
     SELECT FROM message
     WHERE message.workspace_id = conversation.workspace_id AND message.conversation_id = conversation.id
       AND message.sender_type = 'contact')`,
];
