import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { Contact } from './contact.js';

const MERGED_INTO = statement(`SELECT id FROM contact WHERE workspace_id = $1 AND merged_into_id = $2 ORDER BY id`);
const DETAILS = statement(`
  SELECT DISTINCT detail FROM contact CROSS JOIN unnest(ARRAY[name, email, phone, external_id]) AS detail
  WHERE workspace_id = $1 AND id = ANY($2) AND detail IS NOT NULL`);
/** The row stays, because its conversations are still counted. */
const ERASE = statement(`
  UPDATE contact
  SET external_id = NULL, name = NULL, email = NULL, phone = NULL, avatar_url = NULL, locale = NULL, timezone = NULL,
      custom_attributes = '{}', blocked = false, last_seen_at = NULL, merged_into_id = NULL, ended_at = $3, updated_at = $3,
      token_generation = token_generation + 1
  WHERE workspace_id = $1 AND id = ANY($2)`);
const DELETE_CHANNELS = statement(`DELETE FROM contact_channel WHERE workspace_id = $1 AND contact_id = ANY($2)`);

/** Erases the rows of a person. */
@Injectable()
export class ContactErasuresRepository {
  constructor(private readonly sql: SqlService) {}

  /** Ids of the contacts merged into this one. */
  async findMergedIds({ workspaceId, id }: Contact): Promise<string[]> {
    const rows = await this.sql.rows<{ id: string }>(MERGED_INTO, [workspaceId, id]);
    return rows.map(row => row.id);
  }

  /** Names, addresses, numbers and external ids of the contacts. */
  async findDetails(workspaceId: string, ids: readonly string[]): Promise<string[]> {
    const rows = await this.sql.rows<{ detail: string }>(DETAILS, [workspaceId, ids]);
    return rows.map(({ detail }) => detail);
  }

  /** Removes all personal data from these rows. */
  async erase(workspaceId: string, ids: readonly string[], at: Date): Promise<void> {
    await this.sql.count(ERASE, [workspaceId, ids, at]);
    await this.sql.count(DELETE_CHANNELS, [workspaceId, ids]);
  }
}
