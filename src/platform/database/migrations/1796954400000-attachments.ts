import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files of messages, what each workspace's files take, and what a channel's visitors may attach. */
export class Attachments1796954400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  `CREATE TABLE attachment (
     id uuid NOT NULL,
     workspace_id uuid NOT NULL,
     state text NOT NULL,
     owner_kind text NOT NULL,
     owner_id uuid NOT NULL,
     channel_id uuid,
     contact_id uuid,
     private boolean NOT NULL DEFAULT false,
     message_id uuid,
     name text NOT NULL,
     content_type text NOT NULL,
     size integer NOT NULL,
     width integer,
     height integer,
     has_thumbnail boolean NOT NULL DEFAULT false,
     due_at timestamptz(3),
     created_at timestamptz(3) NOT NULL,
     CONSTRAINT pk_attachment PRIMARY KEY (id),
     CONSTRAINT ck_attachment_state CHECK (state IN ('uploading', 'abandoned', 'ready', 'removed', 'gone')),
     CONSTRAINT ck_attachment_owner CHECK (owner_kind IN ('contact', 'member', 'api_key')),
     CONSTRAINT fk_attachment_workspace FOREIGN KEY (workspace_id) REFERENCES workspace (id)
   )`,
  'CREATE INDEX ix_attachment_due ON attachment (due_at) WHERE due_at IS NOT NULL',
  'CREATE INDEX ix_attachment_owner ON attachment (workspace_id, owner_id, created_at)',
  'CREATE INDEX ix_attachment_message ON attachment (workspace_id, message_id) WHERE message_id IS NOT NULL',
  'CREATE INDEX ix_attachment_contact ON attachment (workspace_id, contact_id) WHERE contact_id IS NOT NULL',
  `CREATE TABLE file_usage (
     workspace_id uuid NOT NULL,
     bytes bigint NOT NULL,
     CONSTRAINT pk_file_usage PRIMARY KEY (workspace_id),
     CONSTRAINT fk_file_usage_workspace FOREIGN KEY (workspace_id) REFERENCES workspace (id)
   )`,
  `ALTER TABLE channel ADD COLUMN attachments jsonb NOT NULL DEFAULT '${JSON.stringify({
    max_bytes: 26_214_400,
    mime_types: [
      'image/*',
      'audio/*',
      'video/*',
      'text/*',
      'application/pdf',
      'application/rtf',
      'application/zip',
      'application/msword',
      'application/vnd.ms-excel',
      'application/vnd.ms-powerpoint',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'application/vnd.openxmlformats-officedocument.presentationml.presentation',
      'application/vnd.oasis.opendocument.text',
      'application/vnd.oasis.opendocument.spreadsheet',
      'application/vnd.oasis.opendocument.presentation',
    ],
  })}'`,
];

const DOWN = ['ALTER TABLE channel DROP COLUMN attachments', 'DROP TABLE file_usage', 'DROP TABLE attachment'];
