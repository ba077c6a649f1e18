import { Injectable } from '@nestjs/common';
import { CursorInvalid } from '../../kernel/errors.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { decodeCursor, encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal } from '../../kernel/principal.js';
import { likePattern } from '../../platform/database/like.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { repairCounts, storedCounts } from '../../platform/database/stored-counts.js';
import { isInChannels, visibilityOf } from '../../platform/database/visibility.js';
import type { TagCountChange } from './tag-counts.js';
import type { CountedTag } from './tag.js';
import { tagKey } from './tag.js';

const LIST = 'tags';
/** A merged tag is counted with its replacement until the worker has moved its conversations. */
const PAGE = statement(`
  SELECT tag.name, tag.key, (
    SELECT coalesce(sum(tally.count), 0)::int
    FROM tag AS counted JOIN tag_tally AS tally ON tally.workspace_id = counted.workspace_id AND tally.tag_id = counted.id
    WHERE counted.workspace_id = tag.workspace_id AND (counted.id = tag.id OR counted.merged_into = tag.id)
      AND ${isInChannels('tally.channel_id', '$2::uuid[]')}
  ) AS count
  FROM tag
  WHERE tag.workspace_id = $1 AND tag.removed_at IS NULL AND ($3::text IS NULL OR tag.key LIKE $3)
    AND ($4::text IS NULL OR tag.key COLLATE "C" > $4)
  ORDER BY tag.key COLLATE "C" LIMIT $5`);
/** Keys are sorted, so that transactions that change the same counts lock them in one order. */
const ADD = statement(`
  INSERT INTO tag_tally (workspace_id, tag_id, channel_id, count)
  SELECT $1, kind.tag_id, kind.channel_id, sum(kind.change)::int
  FROM unnest($2::uuid[], $3::uuid[], $4::int[]) AS kind (tag_id, channel_id, change)
  GROUP BY kind.tag_id, kind.channel_id HAVING sum(kind.change) <> 0
  ORDER BY kind.tag_id, kind.channel_id
  ON CONFLICT (workspace_id, tag_id, channel_id) DO UPDATE SET count = tag_tally.count + excluded.count`);
const STORED = storedCounts(
  'tag_tally',
  ['workspace_id', 'tag_id', 'channel_id'],
  'count',
  `SELECT workspace_id, tag_id, channel_id, count(*)::int AS count
   FROM conversation CROSS JOIN unnest(tag_ids) AS tag_id WHERE status <> 'resolved' GROUP BY 1, 2, 3`,
);

/** Numbers of unresolved conversations by tag. */
@Injectable()
export class TagCountsRepository {
  constructor(private readonly sql: SqlService) {}

  /** By name. @throws CursorInvalid */
  async findPage(
    principal: Principal,
    { limit, cursor, query }: PageRequest & { query?: string | undefined },
  ): Promise<Page<CountedTag>> {
    const { workspaceId, channels } = visibilityOf(principal);
    const [after = null] = cursor === undefined ? [] : decodeCursor(LIST, cursor, 1);
    if (after !== null && typeof after !== 'string') throw new CursorInvalid();
    const pattern = query === undefined ? null : likePattern(tagKey(query));
    const values = [workspaceId, channels, pattern, after, limit + 1];
    const page = toPage(await this.sql.rows<CountedTag & { key: string }>(PAGE, values), limit, last =>
      encodeCursor(LIST, [last.key]),
    );
    return { ...page, items: page.items.map(({ name, count }) => ({ name, count })) };
  }

  /** Call it last in the transaction, after the counts of conversations: these rows are contended. */
  async move(workspaceId: string, changes: readonly TagCountChange[]): Promise<void> {
    if (changes.length === 0) return;
    await this.sql.count(ADD, [
      workspaceId,
      changes.map(({ tagId }) => tagId),
      changes.map(({ channelId }) => channelId),
      changes.map(({ change }) => change),
    ]);
  }

  /** Recounts if any is wrong, in the caller's unit of work. @returns the number of wrong counts */
  repair(): Promise<number> {
    return repairCounts(this.sql, STORED);
  }
}
