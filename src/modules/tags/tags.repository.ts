import { Injectable } from '@nestjs/common';
import { newId } from '../../kernel/ids.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { LOCK_WORKSPACE } from '../../platform/database/workspace-lock.js';
import type { Tag } from './tag.js';

const COLUMNS = 'id, workspace_id AS "workspaceId", name, key, merged_into AS "mergedInto", removed_at AS "removedAt"';
const LIVE = 'workspace_id = $1 AND removed_at IS NULL';
const FIND = statement(`SELECT ${COLUMNS} FROM tag WHERE ${LIVE} AND key = ANY($2)`);
const SHARE = statement(`SELECT ${COLUMNS} FROM tag WHERE ${LIVE} AND key = ANY($2) ORDER BY id FOR SHARE`);
const LOCK = statement(`SELECT ${COLUMNS} FROM tag WHERE ${LIVE} AND key = ANY($2) ORDER BY id FOR UPDATE`);
const COUNT = statement(`SELECT count(*)::int AS count FROM tag WHERE ${LIVE}`);
const INSERT = statement(`
  INSERT INTO tag (workspace_id, id, name, key)
  SELECT $1, new.id, new.name, new.key FROM unnest($2::uuid[], $3::text[], $4::text[]) AS new (id, name, key)
  RETURNING ${COLUMNS}`);
const RENAME = statement('UPDATE tag SET name = $3, key = $4 WHERE workspace_id = $1 AND id = $2');
/** Also redirects the tags that were merged into it, so that no tag is merged into a removed one. */
const REMOVE = statement(`
  UPDATE tag SET removed_at = coalesce(removed_at, $3), merged_into = $4
  WHERE workspace_id = $1 AND (id = $2 OR merged_into = $2)`);
/** Tags of these names, with those merged into them. */
const IDS = statement(`
  SELECT any_tag.id FROM tag AS live
  JOIN tag AS any_tag ON any_tag.workspace_id = live.workspace_id AND (any_tag.id = live.id OR any_tag.merged_into = live.id)
  WHERE live.workspace_id = $1 AND live.removed_at IS NULL AND live.key = ANY($2)`);
const NAMES = statement(`
  SELECT owner.id, tag_names($1, owner.tag_ids) AS names
  FROM json_to_recordset($2) AS listed (id uuid, tags json)
  CROSS JOIN LATERAL (
    SELECT listed.id, ARRAY(SELECT value::uuid FROM json_array_elements_text(listed.tags)) AS tag_ids
  ) AS owner`);

/** Rows that refer to tags by id. */
export interface Tagged {
  id: string;
  tagIds: readonly string[];
}

@Injectable()
export class TagsRepository {
  constructor(private readonly sql: SqlService) {}

  /** Locks the workspace's list of tags against new, renamed and removed ones until the unit of work ends. */
  async lockList(workspaceId: string): Promise<void> {
    await this.sql.count(LOCK_WORKSPACE, [workspaceId]);
  }

  findByKeys(workspaceId: string, keys: readonly string[]): Promise<Tag[]> {
    return this.sql.rows<Tag>(FIND, [workspaceId, keys]);
  }

  /** Locks the tags against a new name and removal. A tag that is being removed is not found. */
  lockForShare(workspaceId: string, keys: readonly string[]): Promise<Tag[]> {
    return this.sql.rows<Tag>(SHARE, [workspaceId, keys]);
  }

  /** Waits for transactions that add the tags to conversations. */
  lock(workspaceId: string, keys: readonly string[]): Promise<Tag[]> {
    return this.sql.rows<Tag>(LOCK, [workspaceId, keys]);
  }

  async count(workspaceId: string): Promise<number> {
    return (await this.sql.first<{ count: number }>(COUNT, [workspaceId]))?.count ?? 0;
  }

  insert(workspaceId: string, tags: readonly { name: string; key: string }[]): Promise<Tag[]> {
    const ids = tags.map(() => newId());
    return this.sql.rows<Tag>(INSERT, [workspaceId, ids, tags.map(({ name }) => name), tags.map(({ key }) => key)]);
  }

  async rename({ workspaceId, id }: Tag, name: string, key: string): Promise<void> {
    await this.sql.count(RENAME, [workspaceId, id, name, key]);
  }

  /** @param target the tag that replaces it; null deletes it */
  async remove({ workspaceId, id }: Tag, target: Tag | null, at: Date): Promise<void> {
    await this.sql.count(REMOVE, [workspaceId, id, at, target?.id ?? null]);
  }

  /** Ids by which conversations may refer to these names: of the tags, and of tags merged into them. */
  async findIds(workspaceId: string, keys: readonly string[]): Promise<string[]> {
    return (await this.sql.rows<{ id: string }>(IDS, [workspaceId, keys])).map(({ id }) => id);
  }

  /** Names by the id of the row that refers to them, in its order. */
  async findNames(workspaceId: string, rows: readonly Tagged[]): Promise<Map<string, string[]>> {
    const listed = JSON.stringify(rows.map(({ id, tagIds }) => ({ id, tags: tagIds })));
    const named = await this.sql.rows<{ id: string; names: string[] }>(NAMES, [workspaceId, listed]);
    return new Map(named.map(({ id, names }) => [id, names]));
  }
}
