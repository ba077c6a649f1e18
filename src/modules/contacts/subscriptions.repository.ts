import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';

const FIND = statement('SELECT FROM unsubscribed_address WHERE workspace_id = $1 AND address_hash = $2');
const ADD = statement(`
  INSERT INTO unsubscribed_address (workspace_id, address_hash) VALUES ($1, $2) ON CONFLICT DO NOTHING`);
const REMOVE = statement('DELETE FROM unsubscribed_address WHERE workspace_id = $1 AND address_hash = $2');

/** Stores which addresses want no follow-ups, by the hash of workspace and address. */
@Injectable()
export class SubscriptionsRepository {
  constructor(private readonly sql: SqlService) {}

  async isUnsubscribed(workspaceId: string, addressHash: string): Promise<boolean> {
    return (await this.sql.first(FIND, [workspaceId, addressHash])) !== undefined;
  }

  async set(workspaceId: string, addressHash: string, unsubscribed: boolean): Promise<void> {
    await this.sql.count(unsubscribed ? ADD : REMOVE, [workspaceId, addressHash]);
  }
}
