import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import type { Page, PageRequest } from '../../kernel/page.js';
import { decodeIdCursor, encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal } from '../../kernel/principal.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { WorkspaceRepository } from '../../platform/database/workspace.repository.js';
import { LOCK_WORKSPACE } from '../../platform/database/workspace-lock.js';
import { WebhookEntity } from './webhook.entity.js';
import type { Webhook, WebhookEnd } from './webhook.js';

const LIST = 'webhooks';
const COUNT = statement(`
  SELECT count(*)::int AS count FROM webhook WHERE workspace_id = $1 AND deleted_at IS NULL`);
/** Times of events are rounded to a millisecond; the end is later than that of each event before it. */
const END = statement(`
  SELECT coalesce(max(number), 0)::text AS number, clock_timestamp() + interval '2 milliseconds' AS time
  FROM webhook_delivery WHERE workspace_id = $1 AND webhook_id = $2`);
const DATABASE_TIME = statement('SELECT clock_timestamp() AS now');

@Injectable()
export class WebhooksRepository extends WorkspaceRepository<WebhookEntity> {
  protected readonly entity = WebhookEntity;
  protected readonly alias = 'webhook';

  constructor(
    units: UnitOfWork,
    private readonly sql: SqlService,
  ) {
    super(units);
  }

  override visibleTo(principal: Principal): SelectQueryBuilder<WebhookEntity> {
    return super.visibleTo(principal).andWhere('webhook.deletedAt IS NULL');
  }

  /** Oldest first. @throws CursorInvalid */
  async findPage(principal: Principal, { limit, cursor }: PageRequest): Promise<Page<Webhook>> {
    const query = this.visibleTo(principal)
      .orderBy('webhook.id', 'ASC')
      .limit(limit + 1);
    if (cursor !== undefined) query.andWhere('webhook.id > :after', { after: decodeIdCursor(LIST, cursor) });
    return toPage(await query.getMany(), limit, last => encodeCursor(LIST, [last.id]));
  }

  /** Counts the workspace's webhooks and locks their number until the unit of work ends. */
  async lockAndCount(workspaceId: string): Promise<number> {
    await this.sql.count(LOCK_WORKSPACE, [workspaceId]);
    return (await this.sql.first<{ count: number }>(COUNT, [workspaceId]))?.count ?? 0;
  }

  /** The webhook's last delivery and the present time. Call it while the webhook is locked, so that no other follows. */
  async findEnd({ workspaceId, id }: Webhook): Promise<WebhookEnd> {
    const end = await this.sql.first<WebhookEnd>(END, [workspaceId, id]);
    if (!end) throw new Error('The database returned no time');
    return end;
  }

  /** The database's time, from which events take theirs. */
  async findDatabaseTime(): Promise<Date> {
    const row = await this.sql.first<{ now: Date }>(DATABASE_TIME);
    if (!row) throw new Error('The database returned no time');
    return row.now;
  }
}
