import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../kernel/page.js';
import { decodeIdCursor, encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal } from '../../kernel/principal.js';
import type { Sighting } from '../../kernel/presence.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { WorkspaceRepository } from '../../platform/database/workspace.repository.js';
import { MemberEntity } from './member.entity.js';
import type { MemberPresenceMetadata } from './member-presence.service.js';
import type { Member, Membership } from './member.js';
import type { NotificationSettings } from './notification-settings.js';

const EMAILS = statement('SELECT id, email FROM user_account WHERE id = ANY($1::uuid[])');
const USER_BY_EMAIL = statement('SELECT id FROM user_account WHERE email = $1');
const MEMBERSHIPS = statement(`
  SELECT member.id AS "memberId", member.role, member.status, member.claimed,
         workspace.id AS "workspaceId", workspace.name AS "workspaceName"
  FROM member JOIN workspace ON workspace.id = member.workspace_id
  WHERE member.user_id = $1
  ORDER BY member.created_at, member.id`);
const LOCK_WITH_OWNERS = statement(`
  SELECT id FROM member WHERE workspace_id = $1 AND (id = $2 OR (role = 'owner' AND status = 'active'))
  ORDER BY id FOR NO KEY UPDATE`);
const OWNERS = statement(`
  SELECT id, channel_ids AS "channelIds", claimed FROM member
  WHERE workspace_id = $1 AND role = 'owner' AND status = 'active'`);

const PRESENCE_METADATA = statement(`
  SELECT member.id, member.availability, member.channel_ids AS channels
  FROM unnest($1::uuid[], $2::uuid[]) AS keys (workspace_id, id) JOIN member USING (workspace_id, id)
  WHERE member.status = 'active'`);
const NOTIFICATION_SETTINGS = statement(`
  SELECT member.id, member.notification_settings AS settings
  FROM unnest($1::uuid[], $2::uuid[]) AS keys (workspace_id, id) JOIN member USING (workspace_id, id)
  WHERE member.status = 'active'`);
const RECORD_SIGHTINGS = statement(`
  WITH behind AS (
    SELECT member.workspace_id, member.id, seen.at
    FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS seen (workspace_id, id, at)
      JOIN member USING (workspace_id, id)
    WHERE member.last_seen_at IS NULL OR member.last_seen_at < seen.at
    ORDER BY member.id FOR NO KEY UPDATE OF member)
  UPDATE member SET last_seen_at = behind.at FROM behind
  WHERE member.workspace_id = behind.workspace_id AND member.id = behind.id`);

@Injectable()
export class MembersRepository extends WorkspaceRepository<MemberEntity> {
  protected readonly entity = MemberEntity;
  protected readonly alias = 'member';

  constructor(
    units: UnitOfWork,
    private readonly sql: SqlService,
  ) {
    super(units);
  }

  async findPage(principal: Principal, { limit, cursor }: PageRequest): Promise<Page<Member>> {
    const query = this.visibleTo(principal)
      .orderBy('member.id', 'ASC')
      .limit(limit + 1);
    if (cursor !== undefined) {
      const after = decodeIdCursor('members', cursor);
      query.andWhere('member.id > :after', { after });
    }
    const rows = await this.withEmails(await query.getMany());
    return toPage(rows, limit, last => encodeCursor('members', [last.id]));
  }

  async find(principal: Principal, id: string): Promise<Member | null> {
    const row = await this.findVisible(principal, id);
    return row ? ((await this.withEmails([row]))[0] ?? null) : null;
  }

  /** Like `find`, locked until the unit of work ends. */
  async lock(principal: Principal, id: string): Promise<Member | null> {
    const row = await this.lockVisible(principal, id);
    return row ? ((await this.withEmails([row]))[0] ?? null) : null;
  }

  async findByUser(workspaceId: string, userId: string): Promise<Member | null> {
    const row = await this.rows.findOneBy({ workspaceId, userId });
    return row ? ((await this.withEmails([row]))[0] ?? null) : null;
  }

  async findByEmail(workspaceId: string, email: string): Promise<Member | null> {
    const user = await this.sql.first<{ id: string }>(USER_BY_EMAIL, [email]);
    return user ? this.findByUser(workspaceId, user.id) : null;
  }

  /** Memberships of the user in all workspaces, oldest first. */
  findMemberships(userId: string): Promise<Membership[]> {
    return this.sql.rows<Membership>(MEMBERSHIPS, [userId]);
  }

  async add(member: Member): Promise<void> {
    const { email: _ofTheUser, ...row } = member;
    await this.insert(row as MemberEntity);
  }

  async update(member: Member): Promise<void> {
    const { email: _ofTheUser, ...row } = member;
    await this.save(row as MemberEntity);
  }

  async findMany(workspaceId: string, ids: readonly string[]): Promise<MemberEntity[]> {
    if (ids.length === 0) return [];
    return this.rows
      .createQueryBuilder('member')
      .where('member.workspaceId = :workspaceId AND member.id = ANY(:ids)', { workspaceId, ids: [...ids] })
      .getMany();
  }

  /**
   * Waits for concurrent changes of the member, then locks it against changes until the unit of work ends.
   * @param wait false returns null instead of waiting
   */
  async lockForShare(principal: Principal, id: string, wait = true): Promise<Member | null> {
    const query = this.visibleTo(principal).andWhere('member.id = :id', { id }).setLock('pessimistic_read');
    const row = await (wait ? query : query.setOnLocked('skip_locked')).getOne();
    return row ? ((await this.withEmails([row]))[0] ?? null) : null;
  }

  /**
   * Locks the member and all active owners, in the order of their ids. Read the owners after it, because they may have
   * changed.
   */
  async lockWithOwners(workspaceId: string, id: string): Promise<void> {
    await this.sql.rows(LOCK_WITH_OWNERS, [workspaceId, id]);
  }

  /** Finds the active owners. */
  findOwners(workspaceId: string): Promise<Pick<Member, 'id' | 'channelIds' | 'claimed'>[]> {
    return this.sql.rows(OWNERS, [workspaceId]);
  }

  /** Presence metadata of those members who are active. */
  findPresenceMetadata(
    members: readonly Pick<Member, 'workspaceId' | 'id'>[],
  ): Promise<(MemberPresenceMetadata & { id: string })[]> {
    if (members.length === 0) return Promise.resolve([]);
    return this.sql.rows(PRESENCE_METADATA, [
      members.map(({ workspaceId }) => workspaceId),
      members.map(({ id }) => id),
    ]);
  }

  /** Notification settings of those members who are active. */
  findNotificationSettings(
    members: readonly Pick<Member, 'workspaceId' | 'id'>[],
  ): Promise<{ id: string; settings: NotificationSettings }[]> {
    if (members.length === 0) return Promise.resolve([]);
    return this.sql.rows(NOTIFICATION_SETTINGS, [
      members.map(({ workspaceId }) => workspaceId),
      members.map(({ id }) => id),
    ]);
  }

  /** Keeps the later of the stored and the given time. Locks rows in the order of their ids. */
  async recordSightings(sightings: readonly Sighting[]): Promise<void> {
    if (sightings.length === 0) return;
    const column = <K extends keyof Sighting>(key: K) => sightings.map(sighting => sighting[key]);
    await this.sql.count(RECORD_SIGHTINGS, [column('workspaceId'), column('id'), column('at')]);
  }

  private async withEmails(rows: MemberEntity[]): Promise<Member[]> {
    if (rows.length === 0) return [];
    const users = await this.sql.rows<{ id: string; email: string }>(EMAILS, [rows.map(row => row.userId)]);
    const emails = new Map(users.map(({ id, email }) => [id, email]));
    return rows.map(row => ({ ...row, email: emails.get(row.userId) ?? '' }));
  }
}
