import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';

/** A later attempt to send the mail may go to another address. */
const SAVE = statement(`
  INSERT INTO unsubscribe_link (token_hash, workspace_id, contact_id, address_hash) VALUES ($1, $2, $3, $4)
  ON CONFLICT (token_hash) DO UPDATE SET contact_id = excluded.contact_id, address_hash = excluded.address_hash`);
const FIND = statement(`
  SELECT workspace_id AS "workspaceId", contact_id AS "contactId", address_hash AS "addressHash"
  FROM unsubscribe_link WHERE token_hash = $1`);
const DELETE_OLD = statement(`
  DELETE FROM unsubscribe_link WHERE token_hash IN (
    SELECT token_hash FROM unsubscribe_link WHERE created_at < $1 LIMIT $2
  )`);

export interface UnsubscribeLink {
  workspaceId: string;
  contactId: string;
  addressHash: string;
}

@Injectable()
export class UnsubscribeLinksRepository {
  constructor(private readonly sql: SqlService) {}

  async save(tokenHash: string, { workspaceId, contactId, addressHash }: UnsubscribeLink): Promise<void> {
    await this.sql.count(SAVE, [tokenHash, workspaceId, contactId, addressHash]);
  }

  async find(tokenHash: string): Promise<UnsubscribeLink | null> {
    return (await this.sql.first<UnsubscribeLink>(FIND, [tokenHash])) ?? null;
  }

  /** @returns the number of deleted links */
  deleteOlderThan(time: Date, limit: number): Promise<number> {
    return this.sql.count(DELETE_OLD, [time, limit]);
  }
}
