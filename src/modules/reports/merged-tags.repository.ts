import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';

/** Also redirects the tags that were merged into it. */
const MERGE = statement(`
  WITH redirected AS (
    UPDATE report_merged_tag SET into_id = $3 WHERE workspace_id = $1 AND into_id = $2
  )
  INSERT INTO report_merged_tag (workspace_id, tag_id, into_id) VALUES ($1, $2, $3)
  ON CONFLICT (workspace_id, tag_id) DO UPDATE SET into_id = excluded.into_id`);

/** Remembers which tag has the facts of a merged one, whose row is deleted. */
@Injectable()
export class MergedTagsRepository {
  constructor(private readonly sql: SqlService) {}

  async merge(workspaceId: string, tagId: string, intoId: string | null): Promise<void> {
    await this.sql.count(MERGE, [workspaceId, tagId, intoId]);
  }
}
