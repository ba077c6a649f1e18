import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Channels whose conversations are to be visited after a change of settings. */
export class ChannelSweeps1796860800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE channel_sweep');
  }
}

const UP = `CREATE TABLE channel_sweep (
   id uuid CONSTRAINT pk_channel_sweep PRIMARY KEY,
   workspace_id uuid NOT NULL,
   channel_id uuid NOT NULL,
   task text NOT NULL,
   after_id uuid NOT NULL,
   barrier bigint,
   requested_at timestamptz(3) NOT NULL,
   CONSTRAINT uq_channel_sweep_task UNIQUE (workspace_id, channel_id, task),
   CONSTRAINT fk_channel_sweep_channel FOREIGN KEY (workspace_id, channel_id)
     REFERENCES channel (workspace_id, id) ON DELETE CASCADE
 )`;
