import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What members have set by hand holds while they are connected; nobody had set `offline`, where all of them began. */
export class Presence1795564800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  `ALTER TABLE member ALTER availability SET DEFAULT 'online'`,
  `UPDATE member SET availability = 'online' WHERE availability = 'offline'`,
];

const DOWN = [`ALTER TABLE member ALTER availability SET DEFAULT 'offline'`];
