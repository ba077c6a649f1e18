import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import type { Principal } from '../../kernel/principal.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { WorkspaceRepository } from '../../platform/database/workspace.repository.js';
import { TagsService } from '../tags/index.js';
import { ConversationEntity } from './conversation.entity.js';
import type { Conversation } from './conversation.js';

const NEXT_NUMBER = statement(`
  INSERT INTO conversation_counter (workspace_id, last_number) VALUES ($1, 1)
  ON CONFLICT (workspace_id) DO UPDATE SET last_number = conversation_counter.last_number + 1
  RETURNING last_number AS "number"`);
/** Removes free text and unread counts. Numbers, times and assignees stay. */
const ERASE = statement(`
  UPDATE conversation
  SET subject = NULL, custom_attributes = '{}', erased_at = $3, unread_agents = 0, unread_contact = 0,
      last_message = last_message || '{"preview": ""}', last_public_message = last_public_message || '{"preview": ""}',
      context = NULL, pre_chat = NULL, csat = csat || '{"comment": null}', handoff = handoff || '{"summary": null}'
  WHERE workspace_id = $1 AND id = ANY($2)`);
const NOW = statement('SELECT clock_timestamp()::timestamptz(3) AS now');

@Injectable()
export class ConversationsRepository extends WorkspaceRepository<ConversationEntity> {
  protected readonly entity = ConversationEntity;
  protected readonly alias = 'conversation';
  protected override readonly scopeColumns = { channel: 'channelId', contact: 'contactId' };

  constructor(
    units: UnitOfWork,
    private readonly sql: SqlService,
    private readonly tags: TagsService,
  ) {
    super(units);
  }

  override async findVisible(principal: Principal, id: string): Promise<Conversation | null> {
    return this.withTags(await super.findVisible(principal, id));
  }

  override async lockVisible(principal: Principal, id: string): Promise<Conversation | null> {
    return this.withTags(await super.lockVisible(principal, id));
  }

  override async tryLockVisible(principal: Principal, id: string): Promise<Conversation | null> {
    return this.withTags(await super.tryLockVisible(principal, id));
  }

  override async insert<Row extends ConversationEntity>(conversation: Row): Promise<Row> {
    await super.insert(conversation);
    return conversation;
  }

  /** Adds the names of the tags, in a statement of its own: that of a locking read may be older than its row. */
  async withAllTags(rows: readonly ConversationEntity[]): Promise<Conversation[]> {
    const tagged = rows.filter(({ tagIds }) => tagIds.length > 0);
    const [first] = tagged;
    const names = first ? await this.tags.findNames(first.workspaceId, tagged) : new Map<string, string[]>();
    return rows.map(row => Object.assign(row, { tags: names.get(row.id) ?? [] }));
  }

  private async withTags(row: ConversationEntity | null): Promise<Conversation | null> {
    return row && ((await this.withAllTags([row]))[0] ?? null);
  }

  async findVisibleIds(principal: Principal): Promise<string[]> {
    const rows = await this.visibleTo(principal).select('conversation.id', 'id').getRawMany<{ id: string }>();
    return rows.map(({ id }) => id);
  }

  private queryByContact(workspaceId: string, contactId: string): SelectQueryBuilder<ConversationEntity> {
    return this.rows
      .createQueryBuilder('conversation')
      .where('conversation.workspaceId = :workspaceId', { workspaceId })
      .andWhere('conversation.contactId = :contactId', { contactId });
  }

  /** Finds the one unresolved conversation that `single_conversation` allows. */
  async findUnresolved(workspaceId: string, channelId: string, contactId: string): Promise<Conversation | null> {
    return this.withTags(
      await this.queryByContact(workspaceId, contactId)
        .andWhere('conversation.channelId = :channelId', { channelId })
        .andWhere(`conversation.single AND conversation.status <> 'resolved'`)
        .getOne(),
    );
  }

  /** Finds the contact's conversation of the channel that was resolved last. */
  async findLatestResolved(workspaceId: string, channelId: string, contactId: string): Promise<Conversation | null> {
    return this.withTags(
      await this.queryByContact(workspaceId, contactId)
        .andWhere(`conversation.channelId = :channelId AND conversation.status = 'resolved'`, { channelId })
        .orderBy('conversation.resolvedAt', 'DESC')
        .limit(1)
        .getOne(),
    );
  }

  /** Finds the unresolved conversation that continues a resolved one. */
  async findUnresolvedSuccessor(workspaceId: string, contactId: string, id: string): Promise<Conversation | null> {
    return this.withTags(
      await this.queryByContact(workspaceId, contactId)
        .andWhere(`conversation.previousConversationId = :id AND conversation.status <> 'resolved'`, { id })
        .orderBy('conversation.id', 'DESC')
        .getOne(),
    );
  }

  /** Locks the visible ones among the conversations, in the order of their ids. */
  async lockAllVisible(principal: Principal, ids: readonly string[]): Promise<Conversation[]> {
    if (ids.length === 0) return [];
    return this.withAllTags(
      await this.visibleTo(principal)
        .andWhere('conversation.id = ANY(:ids)', { ids: [...ids] })
        .orderBy('conversation.id')
        .setLock('for_no_key_update')
        .getMany(),
    );
  }

  /** Locks the member's unresolved conversations outside these channels, in the order of their ids. */
  async lockAssignedTo(
    workspaceId: string,
    memberId: string,
    keptChannelIds: readonly string[],
  ): Promise<Conversation[]> {
    return this.withAllTags(
      await this.rows
        .createQueryBuilder('conversation')
        .where('conversation.workspaceId = :workspaceId', { workspaceId })
        .andWhere(`conversation.assigneeId = :memberId AND conversation.status <> 'resolved'`, { memberId })
        .andWhere('conversation.channelId <> ALL(:kept)', { kept: [...keptChannelIds] })
        .orderBy('conversation.id')
        .setLock('for_no_key_update')
        .getMany(),
    );
  }

  /** Ids of the channel's pending conversations after one of them, in order. */
  async findPendingIds(workspaceId: string, channelId: string, afterId: string, limit: number): Promise<string[]> {
    const rows = await this.rows
      .createQueryBuilder('conversation')
      .select('conversation.id', 'id')
      .where('conversation.workspaceId = :workspaceId AND conversation.channelId = :channelId', {
        workspaceId,
        channelId,
      })
      .andWhere(`conversation.status = 'pending' AND conversation.id > :afterId`, { afterId })
      .orderBy('conversation.id')
      .limit(limit)
      .getRawMany<{ id: string }>();
    return rows.map(({ id }) => id);
  }

  /**
   * Locks all conversations of the contact, in the order of their ids. With another contact, also that one's unresolved
   * single conversations, which can conflict after a merge.
   */
  async lockByContact(
    workspaceId: string,
    contactId: string,
    otherContactId: string = contactId,
  ): Promise<Conversation[]> {
    return this.withAllTags(
      await this.rows
        .createQueryBuilder('conversation')
        .where('conversation.workspaceId = :workspaceId', { workspaceId })
        .andWhere(
          `(conversation.contactId = :contactId
          OR conversation.contactId = :otherContactId AND conversation.single AND conversation.status <> 'resolved')`,
          { contactId, otherContactId },
        )
        .orderBy('conversation.id')
        .setLock('for_no_key_update')
        .getMany(),
    );
  }

  /** Oldest first. @param after the last id of the previous page */
  async findPageByContact(
    workspaceId: string,
    contactId: string,
    after: string | null,
    limit: number,
  ): Promise<Conversation[]> {
    const query = this.queryByContact(workspaceId, contactId);
    if (after !== null) query.andWhere('conversation.id > :after', { after });
    return this.withAllTags(await query.orderBy('conversation.id').limit(limit).getMany());
  }

  async erase(workspaceId: string, ids: readonly string[], at: Date): Promise<void> {
    await this.sql.count(ERASE, [workspaceId, ids, at]);
  }

  async nextNumber(workspaceId: string): Promise<number> {
    return (await this.sql.first<{ number: number }>(NEXT_NUMBER, [workspaceId]))?.number ?? 1;
  }

  /** The database's clock. Rows are ordered by it, so it must be read after the caller's locks were granted. */
  async databaseNow(): Promise<Date> {
    return (await this.sql.first<{ now: Date }>(NOW))?.now ?? new Date();
  }

  async update(conversation: Conversation, columns: Partial<Conversation>): Promise<void> {
    const { tags: _names, ...written } = columns;
    if (Object.keys(written).length === 0) return;
    const { workspaceId, id } = conversation;
    await this.rows.update({ workspaceId, id }, written as object);
  }
}
