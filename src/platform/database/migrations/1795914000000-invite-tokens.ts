import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Gives invites a second token, which is mailed and proves the mailbox, and remembers the rights of the inviter. Links
 * from before were shown and mailed alike: they prove nothing.
 */
export class InviteTokens1795914000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE invite DROP mailed_token_hash, DROP inviter_role');
  }
}

const UP = [
  `ALTER TABLE invite ADD mailed_token_hash text, ADD inviter_role text`,
  `ALTER TABLE invite ADD CONSTRAINT uq_invite_mailed_token UNIQUE (mailed_token_hash)`,
  `ALTER TABLE invite ADD CONSTRAINT ck_invite_inviter_role CHECK ("inviter_role" IN ('owner', 'admin'))`,
];
