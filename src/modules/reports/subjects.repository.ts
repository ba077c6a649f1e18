import { Injectable } from '@nestjs/common';
import type { Principal } from '../../kernel/principal.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { isInChannels, visibilityOf } from '../../platform/database/visibility.js';

const MEMBERS = statement(`
  SELECT id, name, status <> 'active' AS "isGone" FROM member
  WHERE workspace_id = $1 AND ($2::uuid IS NULL OR id = $2)
  ORDER BY name, id`);
const CHANNELS = statement(`
  SELECT id, name, deleted_at IS NOT NULL AS "isGone" FROM channel
  WHERE workspace_id = $1 AND ($2::uuid IS NULL OR id = $2) AND ${isInChannels('id', '$3::uuid[]')}
  ORDER BY name, id`);
const TAGS = statement(`
  SELECT id, name, false AS "isGone", ARRAY(
    SELECT tag_id FROM report_merged_tag AS merged WHERE merged.workspace_id = tag.workspace_id AND into_id = tag.id
  ) AS "mergedIds"
  FROM tag WHERE workspace_id = $1 AND removed_at IS NULL ORDER BY key`);
const BOARD = statement(`
  SELECT id, name, availability, capacity, coalesce(open_count, 0) AS open
  FROM member LEFT JOIN member_load ON member_load.workspace_id = member.workspace_id AND member_id = id
  WHERE member.workspace_id = $1 AND status = 'active' AND ($2::uuid IS NULL OR id = $2)
  ORDER BY name, id`);

/** A member, channel or tag that a report has a row of. */
export interface Subject {
  id: string;
  name: string;
  /** True for a deactivated member and a deleted channel. */
  isGone: boolean;
}

export interface TagSubject extends Subject {
  /** Tags that were merged into it. */
  mergedIds: string[];
}

/** A member on the live board. */
export interface BoardMember {
  id: string;
  name: string;
  /** As it has set it. */
  availability: 'online' | 'away' | 'offline';
  capacity: number;
  open: number;
}

/** Lists what reports can have rows of. */
@Injectable()
export class SubjectsRepository {
  constructor(private readonly sql: SqlService) {}

  /** @param onlyId null for all */
  findMembers({ workspaceId }: Principal, onlyId: string | null): Promise<Subject[]> {
    return this.sql.rows<Subject>(MEMBERS, [workspaceId, onlyId]);
  }

  /** Like `findMembers`, among the caller's channels. */
  findChannels(principal: Principal, onlyId: string | null): Promise<Subject[]> {
    const { workspaceId, channels } = visibilityOf(principal);
    return this.sql.rows<Subject>(CHANNELS, [workspaceId, onlyId, channels]);
  }

  findTags({ workspaceId }: Principal): Promise<TagSubject[]> {
    return this.sql.rows<TagSubject>(TAGS, [workspaceId]);
  }

  /** @param onlyId null for all active members */
  findBoard({ workspaceId }: Principal, onlyId: string | null): Promise<BoardMember[]> {
    return this.sql.rows<BoardMember>(BOARD, [workspaceId, onlyId]);
  }
}
