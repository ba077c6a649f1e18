import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { NotFound, TokenRevoked } from '../../kernel/errors.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import type { AgentPrincipal, ApiKeyPrincipal, Principal, Role } from '../../kernel/principal.js';
import { principalKey } from '../../kernel/principal.js';
import type { Sighting } from '../../kernel/presence.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { ChannelsService } from '../channels/index.js';
import type { User } from '../users/index.js';
import { UsersService } from '../users/index.js';
import type { MemberPresenceMetadata } from './member-presence.service.js';
import { MemberChangesService } from './member-changes.service.js';
import type { Availability, Member, MemberDisplay, Membership } from './member.js';
import { MemberDeactivatedConflict, MemberExists, RoleTooHigh } from './members.errors.js';
import { MembersRepository } from './members.repository.js';
import type { NotificationSettings, NotificationSettingsChanges } from './notification-settings.js';
import { mergeNotificationSettings } from './notification-settings.js';

export interface NewMember {
  email: string;
  name: string;
  role?: Role | undefined;
  channel_ids?: string[] | undefined;
  password?: string | undefined;
}

/** A new member that passed the checks, with the password hashed; null without a password. */
export type PreparedMember = Omit<NewMember, 'password'> & { role: Role; passwordHash: string | null };

export interface ProfileChanges {
  name?: string | undefined;
  avatar_url?: string | null | undefined;
  availability?: Availability | undefined;
  notification_settings?: NotificationSettingsChanges | undefined;
}

@Injectable()
export class MembersService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly members: MembersRepository,
    private readonly changes: MemberChangesService,
    private readonly users: UsersService,
    private readonly channels: ChannelsService,
  ) {}

  list(principal: Principal, page: PageRequest): Promise<Page<Member>> {
    return this.members.findPage(principal, page);
  }

  find(principal: Principal, id: string): Promise<Member | null> {
    return this.members.find(principal, id);
  }

  async get(principal: Principal, id: string): Promise<Member> {
    const member = await this.members.find(principal, id);
    if (!member) throw new NotFound();
    return member;
  }

  /**
   * Waits for concurrent changes of the member, then locks it until the unit of work ends. Call it before you lock rows
   * that the member is assigned to: deactivation locks in that order.
   */
  lockForShare(principal: Principal, id: string): Promise<Member | null> {
    return this.members.lockForShare(principal, id);
  }

  /**
   * Like `lockForShare`, for callers that already locked such rows and must not wait: null while the member is being
   * changed.
   */
  tryLockForShare(principal: Principal, id: string): Promise<Member | null> {
    return this.members.lockForShare(principal, id, false);
  }

  findByEmail(workspaceId: string, email: string): Promise<Member | null> {
    return this.members.findByEmail(workspaceId, email);
  }

  /** Finds name and avatar as visitors see them, by member id. */
  async findDisplays(workspaceId: string, ids: readonly string[]): Promise<Map<string, MemberDisplay>> {
    const members = await this.members.findMany(workspaceId, [...new Set(ids)]);
    return new Map(members.map(({ id, name, avatarUrl }) => [id, { name, avatar_url: avatarUrl }]));
  }

  /** Presence metadata of those members who are active. */
  findPresenceMetadata(
    members: readonly Pick<Member, 'workspaceId' | 'id'>[],
  ): Promise<(MemberPresenceMetadata & { id: string })[]> {
    return this.members.findPresenceMetadata(members);
  }

  /** Finds status and channels of those members who exist. */
  findMany(workspaceId: string, ids: readonly string[]): Promise<Pick<Member, 'id' | 'status' | 'channelIds'>[]> {
    return this.members.findMany(workspaceId, ids);
  }

  /** Notification settings of those members who are active. */
  findNotificationSettings(
    members: readonly Pick<Member, 'workspaceId' | 'id'>[],
  ): Promise<{ id: string; settings: NotificationSettings }[]> {
    return this.members.findNotificationSettings(members);
  }

  /** Updates `last_seen_at`. Records no event. */
  recordSightings(sightings: readonly Sighting[]): Promise<void> {
    return this.members.recordSightings(sightings);
  }

  findMemberships(userId: string): Promise<Membership[]> {
    return this.members.findMemberships(userId);
  }

  findByUser(workspaceId: string, userId: string): Promise<Member | null> {
    return this.members.findByUser(workspaceId, userId);
  }

  /** Adds the first member of a new workspace. */
  async createOwner(workspaceId: string, user: User, name: string): Promise<Member> {
    const fields = { name, role: 'owner', claimed: true, channelIds: null } as const;
    return this.units.run(() => this.changes.add(workspaceId, user, fields));
  }

  /**
   * Creates a member for the workspace's own backend. For an unknown e-mail it creates the user, with the password if
   * given. A known user reaches the membership by single sign-on only until they claim it: the caller does not know
   * their password and must not set one.
   * @throws MemberExists, MemberDeactivatedConflict @throws ValidationFailed for an unknown channel
   */
  async create(principal: ApiKeyPrincipal, prepared: PreparedMember): Promise<Member> {
    const { email, name, role, passwordHash, channel_ids: channelIds = null } = prepared;
    return this.units.run(async () => {
      await this.channels.assertExisting(principal.workspaceId, channelIds);
      const { user, created } = await this.users.findOrCreate(email, name, passwordHash);
      if (!created) await this.assertNoMember(principal.workspaceId, user.id);
      const given = { name, role, claimed: created && passwordHash !== null, channelIds };
      return this.changes.add(principal.workspaceId, user, given, actorOf(principal));
    });
  }

  /**
   * Checks the request and hashes the password, which takes long. Call it before a unit of work.
   * @throws RoleTooHigh, RateLimited @throws ValidationFailed for an unknown channel
   */
  async prepare(principal: ApiKeyPrincipal, { password, ...body }: NewMember): Promise<PreparedMember> {
    const role = body.role ?? 'agent';
    if (role === 'owner') throw new RoleTooHigh();
    if (password === undefined) return { ...body, role, passwordHash: null };
    await this.channels.assertExisting(principal.workspaceId, body.channel_ids ?? null);
    return { ...body, role, passwordHash: await this.users.hashPassword(password, principalKey(principal)) };
  }

  async updateProfile(principal: AgentPrincipal, profile: ProfileChanges): Promise<Member> {
    return this.units.run(async () => {
      const member = await this.members.lock(principal, principal.memberId);
      if (member?.status !== 'active') throw new TokenRevoked();
      const { name, avatar_url: avatarUrl, availability, notification_settings: settings } = profile;
      const given = Object.entries({ name, avatarUrl, availability }).filter(([, value]) => value !== undefined);
      await this.changes.apply(member, Object.fromEntries(given), actorOf(principal));
      if (settings) await this.saveSettings(member, settings);
      return member;
    });
  }

  /** Records no event: the settings are the member's own. */
  private async saveSettings(member: Member, changes: NotificationSettingsChanges): Promise<void> {
    member.notificationSettings = mergeNotificationSettings(member.notificationSettings, changes);
    await this.members.update(member);
  }

  private async assertNoMember(workspaceId: string, userId: string): Promise<void> {
    const member = await this.members.findByUser(workspaceId, userId);
    if (member?.status === 'active') throw new MemberExists();
    if (member) throw new MemberDeactivatedConflict();
  }
}
