import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import type { Page } from '../../kernel/page.js';
import { decodeIdCursor, encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal } from '../../kernel/principal.js';
import { scopeOf } from '../../kernel/principal.js';
import { likePattern } from '../../platform/database/like.js';
import { Sql, statement } from '../../platform/database/sql.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { WorkspaceRepository } from '../../platform/database/workspace.repository.js';
import { ContactEntity } from './contact.entity.js';
import type { Contact } from './contact.js';

const SEEN_IN = statement(`
  INSERT INTO contact_channel (workspace_id, contact_id, channel_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`);
const CHANNELS_OF = statement(`
  SELECT channel_id FROM contact_channel WHERE workspace_id = $1 AND contact_id = $2 ORDER BY channel_id`);
const TOUCH = statement(`UPDATE contact SET last_seen_at = $3 WHERE workspace_id = $1 AND id = $2`);
/** Shared: what a contact says at once does not wait for itself, but whoever blocks it or ends its tokens waits for that. */
const HOLD = statement(`
  SELECT blocked, token_generation AS "tokenGeneration" FROM contact WHERE workspace_id = $1 AND id = $2 FOR SHARE`);

export interface ContactQuery {
  limit: number;
  cursor?: string | undefined;
  query?: string | undefined;
}

@Injectable()
export class ContactsRepository extends WorkspaceRepository<ContactEntity> {
  protected readonly entity = ContactEntity;
  protected readonly alias = 'contact';
  protected override readonly place = { contact: 'id' };

  constructor(
    units: UnitOfWork,
    private readonly sql: Sql,
  ) {
    super(units);
  }

  /** A session limited to some channels knows a contact only through a conversation or a session in them. */
  override visibleTo(principal: Principal): SelectQueryBuilder<ContactEntity> {
    const query = super.visibleTo(principal);
    const scope = scopeOf(principal);
    if (principal.kind === 'visitor' || scope === null) return query;
    return query.andWhere(
      `EXISTS (SELECT 1 FROM contact_channel seen
               WHERE seen.workspace_id = contact.workspace_id AND seen.contact_id = contact.id
                 AND seen.channel_id = ANY(:contactChannels))`,
      { contactChannels: [...scope] },
    );
  }

  /** Newest first. `query` is looked for within name, e-mail, phone and external_id. */
  async page(principal: Principal, { limit, cursor, query }: ContactQuery): Promise<Page<Contact>> {
    const select = this.visibleTo(principal)
      .orderBy('contact.id', 'DESC')
      .limit(limit + 1);
    if (query !== undefined) {
      const columns = ['name', 'email', 'phone', 'externalId'].map(column => `contact.${column} ILIKE :pattern`);
      select.andWhere(`(${columns.join(' OR ')})`, { pattern: likePattern(query) });
    }
    if (cursor !== undefined) {
      const before = decodeIdCursor('contacts', cursor);
      select.andWhere('contact.id < :before', { before });
    }
    return toPage(await select.getMany(), limit, last => encodeCursor('contacts', [last.id]));
  }

  lock(workspaceId: string, id: string): Promise<Contact | null> {
    return this.rows.findOne({ where: { workspaceId, id }, lock: { mode: 'for_no_key_update' } });
  }

  /** What the contact is worth as a visitor; it stays so until the unit of work ends. */
  hold(workspaceId: string, id: string): Promise<Pick<Contact, 'blocked' | 'tokenGeneration'> | undefined> {
    return this.sql.first(HOLD, [workspaceId, id]);
  }

  find(workspaceId: string, id: string): Promise<Contact | null> {
    return this.rows.findOneBy({ workspaceId, id });
  }

  findMany(workspaceId: string, ids: readonly string[]): Promise<Contact[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return this.rows
      .createQueryBuilder('contact')
      .where('contact.workspaceId = :workspaceId AND contact.id = ANY(:ids)', { workspaceId, ids: [...ids] })
      .getMany();
  }

  byExternalId(workspaceId: string, externalId: string, verified: boolean): Promise<Contact | null> {
    return this.rows.findOneBy({ workspaceId, externalId, verified });
  }

  /** @returns false when a racing request has made the contact of this external_id first */
  async insertUnlessThere(contact: Contact): Promise<boolean> {
    const result = await this.rows
      .createQueryBuilder()
      .insert()
      .values(contact as never)
      .orIgnore()
      .returning(['id'])
      .execute();
    return (result.raw as unknown[]).length > 0;
  }

  async seenIn(workspaceId: string, contactId: string, channelId: string): Promise<void> {
    await this.sql.count(SEEN_IN, [workspaceId, contactId, channelId]);
  }

  /** The channels through which the contact has come. */
  async channelsOf({ workspaceId, id }: Contact): Promise<string[]> {
    const rows = await this.sql.rows<{ channel_id: string }>(CHANNELS_OF, [workspaceId, id]);
    return rows.map(({ channel_id }) => channel_id);
  }

  async touch(workspaceId: string, contactId: string, at: Date): Promise<void> {
    await this.sql.count(TOUCH, [workspaceId, contactId, at]);
  }
}
