import type { MigrationInterface, QueryRunner } from 'typeorm';
import { newId } from '../../../kernel/ids.js';

interface WrittenTag {
  workspace_id: string;
  name: string;
}

/**
 * A workspace's tags as rows, so that one is renamed without touching its conversations. The column `tags` stays for
 * instances of the version before, which run beside new ones during a rolling upgrade.
 */
export class Tags1796515200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of CREATE) await runner.query(statement);
    await this.copyTags(runner);
    await runner.query(FILL_FACETS);
    await runner.query(FILL_TALLY);
  }

  /** Tags that differ in case alone become one, with the spelling of the oldest conversation. */
  private async copyTags(runner: QueryRunner): Promise<void> {
    const written = (await runner.query(WRITTEN)) as WrittenTag[];
    const tags = new Map<string, { id: string; workspaceId: string; name: string; key: string }>();
    const spellings: [workspaceId: string, spelling: string, id: string][] = [];
    for (const { workspace_id: workspaceId, name } of written) {
      const key = name.trim().normalize('NFC').toLowerCase();
      if (key === '') continue;
      const tag = tags.get(`${workspaceId} ${key}`) ?? { id: newId(), workspaceId, name: name.trim(), key };
      tags.set(`${workspaceId} ${key}`, tag);
      spellings.push([workspaceId, name, tag.id]);
    }
    const rows = [...tags.values()];
    await runner.query(INSERT, [
      rows.map(({ workspaceId }) => workspaceId),
      rows.map(({ id }) => id),
      rows.map(({ name }) => name),
      rows.map(({ key }) => key),
    ]);
    await runner.query(
      ASSIGN,
      [0, 1, 2].map(column => spellings.map(row => row[column])),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE conversation SET tags = tag_names(workspace_id, tag_ids) WHERE tags <> '{}' OR tag_ids <> '{}'`);
    await runner.query('ALTER TABLE conversation DROP COLUMN tag_ids');
    await runner.query('DROP FUNCTION tag_names(uuid, uuid[])');
    for (const table of ['conversation_facet', 'tag_tally', 'tag']) await runner.query(`DROP TABLE ${table}`);
  }
}

const CREATE = [
  `CREATE TABLE tag (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    key text NOT NULL,
    merged_into uuid,
    removed_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT pk_tag PRIMARY KEY (workspace_id, id),
    CONSTRAINT fk_tag_workspace FOREIGN KEY (workspace_id) REFERENCES workspace (id) ON DELETE CASCADE,
    CONSTRAINT fk_tag_merged_into FOREIGN KEY (workspace_id, merged_into) REFERENCES tag (workspace_id, id)
  )`,
  `CREATE UNIQUE INDEX uq_tag_key ON tag (workspace_id, key) WHERE "removed_at" IS NULL`,
  `CREATE INDEX ix_tag_merged ON tag (workspace_id, merged_into) WHERE "merged_into" IS NOT NULL`,
  `CREATE INDEX ix_tag_removed ON tag (removed_at) WHERE "removed_at" IS NOT NULL`,
  `CREATE TABLE tag_tally (
    workspace_id uuid NOT NULL,
    tag_id uuid NOT NULL,
    channel_id uuid NOT NULL,
    count integer NOT NULL,
    CONSTRAINT pk_tag_tally PRIMARY KEY (workspace_id, tag_id, channel_id)
  )`,
  `CREATE TABLE conversation_facet (
    workspace_id uuid NOT NULL,
    facet text NOT NULL,
    conversation_id uuid NOT NULL,
    active_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_conversation_facet PRIMARY KEY (workspace_id, facet, conversation_id)
  )`,
  `CREATE INDEX ix_conversation_facet_activity ON conversation_facet (workspace_id, facet, active_at, conversation_id)`,
  `CREATE INDEX ix_conversation_facet_conversation ON conversation_facet (workspace_id, conversation_id)`,
  `ALTER TABLE conversation ADD COLUMN tag_ids uuid[] NOT NULL DEFAULT '{}'`,
  // names of the tags in their order; a merged tag has the name of the one that it was merged into, a deleted one none
  `CREATE FUNCTION tag_names(workspace uuid, ids uuid[]) RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT coalesce(array_agg(shown.name ORDER BY shown.place), '{}') FROM (
      SELECT target.name, min(listed.place) AS place
      FROM unnest(ids) WITH ORDINALITY AS listed (id, place)
      JOIN tag AS referenced ON referenced.workspace_id = workspace AND referenced.id = listed.id
      JOIN tag AS target ON target.workspace_id = workspace AND target.id = coalesce(referenced.merged_into, referenced.id)
      WHERE target.removed_at IS NULL
      GROUP BY target.id, target.name
    ) AS shown
  $$`,
];

/** Each spelling of each workspace, those of the oldest conversation first. */
const WRITTEN = `
  SELECT workspace_id, name, min(ARRAY[number, place]) AS first
  FROM conversation CROSS JOIN unnest(tags) WITH ORDINALITY AS listed (name, place)
  GROUP BY workspace_id, name ORDER BY workspace_id, first, name`;
const INSERT = `
  INSERT INTO tag (workspace_id, id, name, key)
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[])`;
const ASSIGN = `
  WITH spelling AS (SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[]) AS spelling (workspace_id, name, tag_id))
  UPDATE conversation SET tag_ids = ARRAY(
    SELECT spelling.tag_id
    FROM unnest(conversation.tags) WITH ORDINALITY AS listed (name, place)
    JOIN spelling ON spelling.workspace_id = conversation.workspace_id AND spelling.name = listed.name
    GROUP BY spelling.tag_id ORDER BY min(listed.place))
  WHERE tags <> '{}'`;
const FILL_FACETS = `
  INSERT INTO conversation_facet (workspace_id, facet, conversation_id, active_at)
  SELECT DISTINCT workspace_id, facet, id, last_activity_at FROM conversation CROSS JOIN LATERAL unnest(
    ARRAY(SELECT 'tag:' || tag_id FROM unnest(tag_ids) AS tag_id)
      || CASE WHEN priority <> 'none' THEN ARRAY['priority:' || priority] END
      || CASE WHEN csat IS NOT NULL THEN ARRAY['csat:' || (csat ->> 'score')] END
      || CASE WHEN unread_agents > 0 THEN ARRAY['unread'] END) AS facet`;
const FILL_TALLY = `
  INSERT INTO tag_tally (workspace_id, tag_id, channel_id, count)
  SELECT workspace_id, tag_id, channel_id, count(DISTINCT id)::int
  FROM conversation CROSS JOIN unnest(tag_ids) AS tag_id
  WHERE status <> 'resolved' GROUP BY 1, 2, 3`;
