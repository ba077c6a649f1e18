import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock } from '../../kernel/clock.js';
import { NotFound } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import type { AgentPrincipal, ApiKeyPrincipal, Principal, Role } from '../../kernel/principal.js';
import { actingRole, rank, ROLES } from '../../kernel/principal.js';
import { randomToken, sha256 } from '../../kernel/secret.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { RateLimiter } from '../../platform/limits/rate-limiter.js';
import { ChannelsService } from '../channels/index.js';
import { JoiningService, RoleTooHigh } from '../members/index.js';
import { InviteLog } from './invite-log.js';
import { InviteMail } from './invite-mail.js';
import type { Invite, InviteRecord } from './invite.js';
import { INVITE_MS, toInviteRecord } from './invite.js';
import { InviteNotPending } from './invites.errors.js';
import type { InviteQuery } from './invites.repository.js';
import { InvitesRepository } from './invites.repository.js';

/** Those who invite; the service itself never does. */
export type Inviter = AgentPrincipal | ApiKeyPrincipal;

export interface NewInvite {
  email: string;
  role?: Role | undefined;
  channel_ids?: string[] | undefined;
}

/** An invite with the link that is shown this once. */
export interface IssuedInvite {
  invite: InviteRecord;
  acceptUrl: string;
}

@Injectable()
export class InvitesService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly invites: InvitesRepository,
    private readonly joining: JoiningService,
    private readonly channels: ChannelsService,
    private readonly mail: InviteMail,
    private readonly log: InviteLog,
    private readonly limiter: RateLimiter,
    private readonly clock: Clock,
  ) {}

  async list(principal: Principal, query: InviteQuery): Promise<Page<InviteRecord>> {
    const now = this.clock.now();
    const page = await this.invites.page(principal, query, now);
    return { ...page, items: page.items.map(invite => toInviteRecord(invite, now)) };
  }

  /**
   * Invites, or renews the invite that waits for this e-mail: a new link, and what is granted now; the old link is dead.
   * @returns `renewed` where there was one
   * @throws RoleTooHigh, MemberExists, RateLimited @throws ValidationFailed for an unknown channel
   */
  async create(principal: Inviter, wanted: NewInvite): Promise<IssuedInvite & { renewed: boolean }> {
    const { workspaceId } = principal;
    await this.limiter.consume('invites', workspaceId);
    const by = actingRole(principal);
    if (wanted.role !== undefined) assertWithin(by, wanted.role);
    return this.units.run(async () => {
      const member = await this.joining.invitable(workspaceId, wanted.email, by);
      await this.channels.assertExisting(workspaceId, wanted.channel_ids ?? null);
      const present = member?.status === 'active' ? member : { role: 'agent' as const, channelIds: null };
      const token = newToken();
      const draft: Invite = {
        id: newId(),
        workspaceId,
        email: wanted.email,
        role: wanted.role ?? present.role,
        channelIds: wanted.channel_ids ?? present.channelIds,
        status: 'pending',
        ...this.handedOut(principal, token),
        acceptedAt: null,
        createdAt: this.clock.now(),
      };
      const invite = await this.invites.issue(draft, ROLES.slice(0, rank(by) + 1));
      if (!invite) throw new RoleTooHigh();
      const renewed = invite.id !== draft.id;
      await this.log.tell(renewed ? 'invite.renewed' : 'invite.created', invite, actorOf(principal));
      return { ...(await this.issued(invite, token)), renewed };
    });
  }

  /**
   * A new link and seven more days for an invite that waits, or has waited too long; the old link is dead. Whoever does
   * this answers for the invite from now on.
   * @throws NotFound, InviteNotPending, RoleTooHigh, MemberExists, RateLimited
   */
  async resend(principal: Inviter, id: string): Promise<IssuedInvite> {
    await this.limiter.consume('invites', principal.workspaceId);
    return this.units.run(async () => {
      const invite = await this.lockPending(principal, id);
      await this.joining.invitable(principal.workspaceId, invite.email, actingRole(principal));
      const token = newToken();
      Object.assign(invite, this.handedOut(principal, token));
      await this.invites.save(invite);
      await this.log.tell('invite.renewed', invite, actorOf(principal));
      return this.issued(invite, token);
    });
  }

  /** @throws NotFound, InviteNotPending, RoleTooHigh */
  async revoke(principal: Inviter, id: string): Promise<void> {
    await this.units.run(async () => {
      const invite = await this.lockPending(principal, id);
      invite.status = 'revoked';
      await this.invites.save(invite);
      await this.log.tell('invite.revoked', invite, actorOf(principal));
    });
  }

  private async lockPending(principal: Inviter, id: string): Promise<Invite> {
    const invite = await this.invites.lockVisible(principal, id);
    if (!invite) throw new NotFound();
    if (invite.status !== 'pending') throw new InviteNotPending();
    assertWithin(actingRole(principal), invite.role);
    return invite;
  }

  /** What a new link changes: how it is found, who answers for it, how long it lives. */
  private handedOut(
    principal: Inviter,
    token: string,
  ): Pick<Invite, 'tokenHash' | 'invitedBy' | 'apiKeyId' | 'expiresAt'> {
    return {
      tokenHash: sha256(token),
      invitedBy: principal.kind === 'agent' ? principal.memberId : null,
      apiKeyId: principal.kind === 'api_key' ? principal.apiKeyId : null,
      expiresAt: new Date(this.clock.now().getTime() + INVITE_MS),
    };
  }

  private async issued(invite: Invite, token: string): Promise<IssuedInvite> {
    await this.mail.send(invite, token);
    return { invite: toInviteRecord(invite, this.clock.now()), acceptUrl: this.mail.link(token) };
  }
}

function newToken(): string {
  return randomToken('inv_');
}

function assertWithin(by: Role, role: Role): void {
  if (rank(role) > rank(by)) throw new RoleTooHigh();
}
