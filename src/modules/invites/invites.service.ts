import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock } from '../../kernel/clock.js';
import { NotFound } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import type { AgentPrincipal, ApiKeyPrincipal, Principal, Role } from '../../kernel/principal.js';
import { actingRole, rank, ROLES } from '../../kernel/principal.js';
import { sha256 } from '../../kernel/secret.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { RateLimitService } from '../../platform/limits/rate-limit.service.js';
import { ChannelsService } from '../channels/index.js';
import { JoiningService, RoleTooHigh } from '../members/index.js';
import { InviteLogService } from './invite-log.service.js';
import { InviteMailService } from './invite-mail.service.js';
import type { Invite, InviteRecord } from './invite.js';
import { INVITE_MS, newInviteToken, toInviteRecord } from './invite.js';
import { InviteNotPending } from './invites.errors.js';
import type { InviteQuery } from './invites.repository.js';
import { InvitesRepository } from './invites.repository.js';

/** Principals that may invite; the system never does. */
export type Inviter = AgentPrincipal | ApiKeyPrincipal;

export interface NewInvite {
  email: string;
  role?: Role | undefined;
  channel_ids?: string[] | undefined;
}

/** An invite with its link, which is shown only once. */
export interface IssuedInvite {
  invite: InviteRecord;
  acceptUrl: string;
}

/** Tokens of the link shown to the inviter and of the mailed link. */
interface InviteTokens {
  shown: string;
  mailed: string | null;
}

@Injectable()
export class InvitesService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly invites: InvitesRepository,
    private readonly joining: JoiningService,
    private readonly channels: ChannelsService,
    private readonly mail: InviteMailService,
    private readonly log: InviteLogService,
    private readonly limiter: RateLimitService,
    private readonly clock: Clock,
  ) {}

  async list(principal: Principal, query: InviteQuery): Promise<Page<InviteRecord>> {
    const now = this.clock.now();
    const page = await this.invites.findPage(principal, query, now);
    return { ...page, items: page.items.map(invite => toInviteRecord(invite, now)) };
  }

  /**
   * Creates an invite, or renews the pending one of this e-mail with new links. Old links stop working.
   * @returns `renewed: true` for a renewed invite
   * @throws RoleTooHigh, MemberExists, RateLimited @throws ValidationFailed for an unknown channel
   */
  async create(principal: Inviter, fields: NewInvite): Promise<IssuedInvite & { renewed: boolean }> {
    const { workspaceId } = principal;
    await this.limiter.consume('invites', workspaceId);
    const by = actingRole(principal);
    if (fields.role !== undefined) assertRoleWithin(by, fields.role);
    return this.units.run(async () => {
      const member = await this.joining.findInvitable(workspaceId, fields.email, by);
      await this.channels.assertExisting(workspaceId, fields.channel_ids ?? null);
      const present = member?.status === 'active' ? member : { role: 'agent' as const, channelIds: null };
      const tokens = this.newTokens();
      const now = this.clock.now();
      const draft: Invite = {
        id: newId(),
        workspaceId,
        email: fields.email,
        role: fields.role ?? present.role,
        channelIds: fields.channel_ids ?? present.channelIds,
        status: 'pending',
        ...this.linkColumns(principal, tokens, now),
        acceptedAt: null,
        createdAt: now,
      };
      const invite = await this.invites.issue(draft, ROLES.slice(0, rank(by) + 1));
      if (!invite) throw new RoleTooHigh();
      const renewed = invite.id !== draft.id;
      await this.log.recordEvent(renewed ? 'invite.renewed' : 'invite.created', invite, actorOf(principal));
      return { ...(await this.mailAndIssue(invite, tokens)), renewed };
    });
  }

  /**
   * Issues new links for 7 days for a pending or expired invite. Old links stop working, and the caller becomes the
   * inviter.
   * @throws NotFound, InviteNotPending, RoleTooHigh, MemberExists, RateLimited
   */
  async resend(principal: Inviter, id: string): Promise<IssuedInvite> {
    await this.limiter.consume('invites', principal.workspaceId);
    return this.units.run(async () => {
      const invite = await this.lockPending(principal, id);
      await this.joining.findInvitable(principal.workspaceId, invite.email, actingRole(principal));
      const tokens = this.newTokens();
      Object.assign(invite, this.linkColumns(principal, tokens, this.clock.now()));
      await this.invites.save(invite);
      await this.log.recordEvent('invite.renewed', invite, actorOf(principal));
      return this.mailAndIssue(invite, tokens);
    });
  }

  /** @throws NotFound, InviteNotPending, RoleTooHigh */
  async revoke(principal: Inviter, id: string): Promise<void> {
    await this.units.run(async () => {
      const invite = await this.lockPending(principal, id);
      invite.status = 'revoked';
      await this.invites.save(invite);
      await this.log.recordEvent('invite.revoked', invite, actorOf(principal));
    });
  }

  private async lockPending(principal: Inviter, id: string): Promise<Invite> {
    const invite = await this.invites.lockVisible(principal, id);
    if (!invite) throw new NotFound();
    if (invite.status !== 'pending') throw new InviteNotPending();
    assertRoleWithin(actingRole(principal), invite.role);
    return invite;
  }

  /** The mailed token is null without a mail server. */
  private newTokens(): InviteTokens {
    return { shown: newInviteToken(), mailed: this.mail.delivers ? newInviteToken() : null };
  }

  /** Columns that new links change: token hashes, inviter, the inviter's role, and expiry. */
  private linkColumns(
    principal: Inviter,
    { shown, mailed }: InviteTokens,
    now: Date,
  ): Pick<Invite, 'tokenHash' | 'mailedTokenHash' | 'invitedBy' | 'apiKeyId' | 'inviterRole' | 'expiresAt'> {
    return {
      tokenHash: sha256(shown),
      mailedTokenHash: mailed === null ? null : sha256(mailed),
      inviterRole: actingRole(principal),
      invitedBy: principal.kind === 'agent' ? principal.memberId : null,
      apiKeyId: principal.kind === 'api_key' ? principal.apiKeyId : null,
      expiresAt: new Date(now.getTime() + INVITE_MS),
    };
  }

  private async mailAndIssue(invite: Invite, { shown, mailed }: InviteTokens): Promise<IssuedInvite> {
    if (mailed !== null) await this.mail.send(invite, mailed);
    return { invite: toInviteRecord(invite, this.clock.now()), acceptUrl: this.mail.linkFor(shown) };
  }
}

function assertRoleWithin(by: Role, role: Role): void {
  if (rank(role) > rank(by)) throw new RoleTooHigh();
}
