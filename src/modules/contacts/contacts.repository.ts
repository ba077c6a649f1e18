import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import type { Page } from '../../kernel/page.js';
import { decodeIdCursor, encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal } from '../../kernel/principal.js';
import { scopeOf } from '../../kernel/principal.js';
import type { Sighting } from '../../kernel/presence.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { isInChannels } from '../../platform/database/visibility.js';
import { CALLER, WorkspaceRepository } from '../../platform/database/workspace.repository.js';
import { ContactEntity } from './contact.entity.js';
import type { Contact } from './contact.js';
import { containsText } from './contact-search.js';
import { canSeeExternalIds } from './external-id.js';

const ADD_CHANNEL = statement(`
  INSERT INTO contact_channel (workspace_id, contact_id, channel_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`);
const CHANNEL_IDS = statement(`
  SELECT channel_id FROM contact_channel WHERE workspace_id = $1 AND contact_id = $2 ORDER BY channel_id`);
const CHANNEL_IDS_OF_MANY = statement(`
  SELECT keys.id, coalesce(array_agg(seen.channel_id ORDER BY seen.channel_id) FILTER (WHERE seen.channel_id IS NOT NULL), '{}') AS channels
  FROM unnest($1::uuid[], $2::uuid[]) AS keys (workspace_id, id)
    LEFT JOIN contact_channel seen ON seen.workspace_id = keys.workspace_id AND seen.contact_id = keys.id
  GROUP BY keys.id`);
const RECORD_SIGHTINGS = statement(`
  WITH behind AS (
    SELECT contact.workspace_id, contact.id, seen.at
    FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS seen (workspace_id, id, at)
      JOIN contact USING (workspace_id, id)
    WHERE contact.ended_at IS NULL AND (contact.last_seen_at IS NULL OR contact.last_seen_at < seen.at)
    ORDER BY contact.id FOR NO KEY UPDATE OF contact)
  UPDATE contact SET last_seen_at = behind.at FROM behind
  WHERE contact.workspace_id = behind.workspace_id AND contact.id = behind.id`);
const SET_LAST_SEEN = statement(`UPDATE contact SET last_seen_at = $3 WHERE workspace_id = $1 AND id = $2`);
/**
 * A shared lock: concurrent messages of a contact do not wait for each other, but a block or a token revocation waits
 * for them.
 */
const LOCK_FOR_SHARE = statement(`
  SELECT blocked, token_generation AS "tokenGeneration", ended_at AS "endedAt"
  FROM contact WHERE workspace_id = $1 AND id = $2 FOR SHARE`);
/**
 * Redirects contacts that were merged into the first one, too. An id keeps redirecting sessions only if both contacts
 * are verified, or neither is.
 */
const REDIRECT = statement(`
  UPDATE contact SET merged_into_id = $3, external_id = CASE WHEN verified = $4 THEN external_id END
  WHERE workspace_id = $1 AND merged_into_id = $2`);
const COPY_CHANNELS = statement(`
  INSERT INTO contact_channel (workspace_id, contact_id, channel_id)
  SELECT workspace_id, $3, channel_id FROM contact_channel WHERE workspace_id = $1 AND contact_id = $2
  ON CONFLICT DO NOTHING`);

const CAME_THROUGH = `EXISTS (
  SELECT FROM contact_channel AS arrival
  WHERE arrival.workspace_id = contact.workspace_id AND arrival.contact_id = contact.id AND arrival.channel_id = :channelId)`;

export interface ContactQuery {
  limit: number;
  cursor?: string | undefined;
  query?: string | undefined;
  external_id?: string | undefined;
}

@Injectable()
export class ContactsRepository extends WorkspaceRepository<ContactEntity> {
  protected readonly entity = ContactEntity;
  protected readonly alias = 'contact';
  protected override readonly scopeColumns = { contact: 'id' };

  constructor(
    units: UnitOfWork,
    private readonly sql: SqlService,
  ) {
    super(units);
  }

  /**
   * A session limited to some channels sees only contacts that came through one of them. Excludes merged and erased
   * contacts.
   */
  override visibleTo(principal: Principal): SelectQueryBuilder<ContactEntity> {
    return this.visibleWithEnded(principal).andWhere('contact.endedAt IS NULL');
  }

  private visibleWithEnded(principal: Principal): SelectQueryBuilder<ContactEntity> {
    const query = super.visibleTo(principal);
    if (principal.kind === 'visitor' || scopeOf(principal) === null) return query;
    return query.andWhere(
      `EXISTS (SELECT 1 FROM contact_channel seen
               WHERE seen.workspace_id = contact.workspace_id AND seen.contact_id = contact.id
                 AND ${isInChannels('seen.channel_id', CALLER.channels)})`,
    );
  }

  /**
   * Newest first. `query` matches within name, e-mail and phone, and a complete external_id that the caller can see.
   * @throws CursorInvalid
   */
  async findPage(
    principal: Principal,
    { limit, cursor, query, external_id: externalId }: ContactQuery,
  ): Promise<Page<Contact>> {
    const select = this.visibleTo(principal)
      .orderBy('contact.id', 'DESC')
      .limit(limit + 1);
    if (query !== undefined) {
      const { condition, parameters } = containsText(['name', 'phone'], query);
      select.andWhere(`(${condition} OR ${externalIdCondition(principal, ':query')})`, { ...parameters, query });
    }
    if (externalId !== undefined) select.andWhere(externalIdCondition(principal, ':externalId'), { externalId });
    if (cursor !== undefined) {
      const before = decodeIdCursor('contacts', cursor);
      select.andWhere('contact.id < :before', { before });
    }
    return toPage(await select.getMany(), limit, last => encodeCursor('contacts', [last.id]));
  }

  /** Locks those of the two contacts that the caller may see, in the order of their ids. */
  lockPair(principal: Principal, id: string, other: string): Promise<Contact[]> {
    return this.visibleTo(principal)
      .andWhere('contact.id IN (:id, :other)', { id, other })
      .orderBy('contact.id')
      .setLock('for_no_key_update')
      .getMany();
  }

  /** Id of the contact that a merged one, visible to the caller, was merged into. */
  async findMergeTarget(principal: Principal, id: string): Promise<string | null> {
    const contact = await this.visibleWithEnded(principal).andWhere('contact.id = :id', { id }).getOne();
    return contact?.mergedIntoId ?? null;
  }

  /** Ids of those contacts that the caller may see. */
  async findVisibleIds(principal: Principal, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const query = this.visibleTo(principal).select('contact.id', 'id').andWhere('contact.id IN (:...ids)', { ids });
    return new Set((await query.getRawMany<{ id: string }>()).map(({ id }) => id));
  }

  /** Finds those of the contacts that the caller may see. @param channelId only those that came through it */
  findAllVisible(principal: Principal, ids: readonly string[], channelId?: string): Promise<Contact[]> {
    const query = this.visibleTo(principal).andWhere('contact.id = ANY(:ids)', { ids: [...ids] });
    if (channelId !== undefined) query.andWhere(CAME_THROUGH, { channelId });
    return query.getMany();
  }

  /** Contacts that were merged into this one, as they were then. */
  findMerged({ workspaceId, id }: Contact): Promise<Contact[]> {
    return this.rows.find({ where: { workspaceId, mergedIntoId: id }, order: { id: 'ASC' } });
  }

  /** Moves the contact's channels, and redirects contacts merged into it. */
  async transferReferences({ workspaceId, id }: Contact, to: Contact): Promise<void> {
    await this.sql.count(REDIRECT, [workspaceId, id, to.id, to.verified]);
    await this.sql.count(COPY_CHANNELS, [workspaceId, id, to.id]);
  }

  lock(workspaceId: string, id: string): Promise<Contact | null> {
    return this.rows.findOne({ where: { workspaceId, id }, lock: { mode: 'for_no_key_update' } });
  }

  /** Reads what decides whether the visitor may act, with a shared lock until the unit of work ends. */
  lockForShare(
    workspaceId: string,
    id: string,
  ): Promise<Pick<Contact, 'blocked' | 'tokenGeneration' | 'endedAt'> | undefined> {
    return this.sql.first(LOCK_FOR_SHARE, [workspaceId, id]);
  }

  find(workspaceId: string, id: string): Promise<Contact | null> {
    return this.rows.findOneBy({ workspaceId, id });
  }

  findByExternalId(workspaceId: string, externalId: string, verified: boolean): Promise<Contact | null> {
    return this.rows.findOneBy({ workspaceId, externalId, verified });
  }

  /** @returns false if a concurrent request created the contact with this external_id first */
  async insertIfAbsent(contact: Contact): Promise<boolean> {
    const result = await this.rows
      .createQueryBuilder()
      .insert()
      .values(contact as never)
      .orIgnore()
      .returning(['id'])
      .execute();
    return (result.raw as unknown[]).length > 0;
  }

  async addChannel(workspaceId: string, contactId: string, channelId: string): Promise<void> {
    await this.sql.count(ADD_CHANNEL, [workspaceId, contactId, channelId]);
  }

  /** Channels that the contact came through. */
  async findChannelIds({ workspaceId, id }: Contact): Promise<string[]> {
    const rows = await this.sql.rows<{ channel_id: string }>(CHANNEL_IDS, [workspaceId, id]);
    return rows.map(({ channel_id }) => channel_id);
  }

  /** Like `findChannelIds`, for many contacts. */
  findChannelIdsOfMany(
    contacts: readonly Pick<Contact, 'workspaceId' | 'id'>[],
  ): Promise<{ id: string; channels: string[] }[]> {
    if (contacts.length === 0) return Promise.resolve([]);
    return this.sql.rows(CHANNEL_IDS_OF_MANY, [
      contacts.map(({ workspaceId }) => workspaceId),
      contacts.map(({ id }) => id),
    ]);
  }

  /**
   * Keeps the later of the stored and the given time, and skips ended contacts. Locks rows in the order of their ids.
   */
  async recordSightings(sightings: readonly Sighting[]): Promise<void> {
    if (sightings.length === 0) return;
    const column = <K extends keyof Sighting>(key: K) => sightings.map(sighting => sighting[key]);
    await this.sql.count(RECORD_SIGHTINGS, [column('workspaceId'), column('id'), column('at')]);
  }

  async setLastSeen(workspaceId: string, contactId: string, at: Date): Promise<void> {
    await this.sql.count(SET_LAST_SEEN, [workspaceId, contactId, at]);
  }
}

/** Matches the complete id only: with partial matches a caller could guess an id letter by letter. */
function externalIdCondition(principal: Principal, parameter: string): string {
  const shown = canSeeExternalIds(principal) ? '' : ' AND contact.verified';
  return `(contact.externalId = ${parameter}${shown})`;
}
