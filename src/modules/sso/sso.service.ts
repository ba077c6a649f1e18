import { Injectable, OnModuleInit } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Config } from '../../config/config.js';
import { Clock, toWireTime } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import type { ApiKeyPrincipal } from '../../kernel/principal.js';
import { systemOf } from '../../kernel/principal.js';
import { sha256 } from '../../kernel/secret.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import { RateLimitService } from '../../platform/limits/rate-limit.service.js';
import type { SignIn } from '../auth/index.js';
import { SignInService } from '../auth/index.js';
import { ChannelsService } from '../channels/index.js';
import { MemberTeardownHooks, MembersService } from '../members/index.js';
import { newSsoTicket, redirectUrl, TICKET_MS } from './sso-ticket.js';
import { SsoTicketsRepository } from './sso-tickets.repository.js';
import type { SsoTicketState } from './sso-tickets.repository.js';
import { MemberNotFound, SsoTicketInvalid } from './sso.errors.js';
import './sso.events.js';

/** The member that a backend signs in, and the channels to limit the session to. */
export interface SsoRequest {
  email: string;
  channel_ids?: string[] | undefined;
}

/** Issues one-time tickets for the dashboard, and exchanges them for sessions. */
@Injectable()
export class SsoService implements OnModuleInit {
  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLogService,
    private readonly tickets: SsoTicketsRepository,
    private readonly members: MembersService,
    private readonly channels: ChannelsService,
    private readonly signIns: SignInService,
    private readonly limiter: RateLimitService,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly memberTeardownHooks: MemberTeardownHooks,
  ) {}

  onModuleInit(): void {
    this.memberTeardownHooks.add(({ workspaceId, id }) =>
      this.tickets.expireOfMember(workspaceId, id, this.clock.now()),
    );
  }

  /**
   * @returns the redirect URL with the ticket, which is shown only once
   * @throws MemberNotFound @throws ValidationFailed for unknown channels
   */
  async issue(principal: ApiKeyPrincipal, { email, channel_ids }: SsoRequest): Promise<string> {
    const { workspaceId, apiKeyId } = principal;
    const ticket = newSsoTicket();
    await this.channels.assertExisting(workspaceId, channel_ids ?? null);
    const member = await this.members.findByEmail(workspaceId, email);
    if (!member) throw new MemberNotFound();
    const draft = {
      id: newId(),
      workspaceId,
      ticketHash: sha256(ticket),
      memberId: member.id,
      apiKeyId,
      channelIds: channel_ids ?? null,
      expiresAt: new Date(this.clock.now().getTime() + TICKET_MS),
    };
    const payload = {
      ticket_id: draft.id,
      member_id: member.id,
      channel_ids: draft.channelIds,
      api_key_id: apiKeyId,
      expires_at: toWireTime(draft.expiresAt),
    };
    const issued = await this.units.run(async () => {
      if (!(await this.tickets.issue(draft))) return false;
      await this.events.record({ type: 'sso_ticket.issued', workspaceId, actor: actorOf(principal), payload });
      return true;
    });
    if (!issued) {
      const refusal = { method: 'sso', member_id: member.id, reason: 'member_deactivated' } as const;
      this.signIns.recordRefusal(workspaceId, refusal, actorOf(principal));
      throw new MemberNotFound();
    }
    return redirectUrl(this.config.dashboardUrl, ticket);
  }

  /**
   * Succeeds once per ticket. Only failures are counted per address: `guess` also checks the counter after a success,
   * which would spend the ticket and then refuse it. Nobody guesses one of 2^256.
   * @throws SsoTicketInvalid, RateLimited
   */
  async exchange(ticket: string, rotate: boolean | undefined, address: string): Promise<SignIn> {
    await this.limiter.assertBelow('sso_exchange', address);
    const ticketHash = sha256(ticket);
    const signIn = await this.spend(ticketHash, rotate);
    if (signIn) return signIn;
    await this.recordRefusal(ticketHash);
    await this.limiter.fail('sso_exchange', address);
    throw new SsoTicketInvalid();
  }

  /** Spends the ticket and opens the session in one unit of work; null if the ticket is not valid. */
  private spend(ticketHash: string, rotate: boolean | undefined): Promise<SignIn | null> {
    return this.units.run(async () => {
      const spent = await this.tickets.spend(ticketHash, this.clock.now());
      if (!spent) return null;
      const { workspaceId, memberId, apiKeyId } = spent;
      const member = await this.members.get(systemOf(workspaceId), memberId);
      const channelIds = await this.filterExistingChannels(workspaceId, spent.channelIds);
      return this.signIns.open(member, { method: 'sso', rotate, channelIds, apiKeyId });
    });
  }

  /** Drops deleted channels. An empty list stays empty: it does not mean all channels. */
  private async filterExistingChannels(workspaceId: string, channelIds: string[] | null): Promise<string[] | null> {
    if (channelIds === null) return null;
    const existing = new Set(await this.channels.findExistingIds(workspaceId, channelIds));
    return channelIds.filter(id => existing.has(id));
  }

  /** Records why the ticket was refused. The response is the same for every reason. */
  private async recordRefusal(ticketHash: string): Promise<void> {
    const state = await this.tickets.findState(ticketHash, this.clock.now());
    if (!state) return;
    const refusal = { method: 'sso', member_id: state.memberId, reason: reasonOf(state) } as const;
    this.signIns.recordRefusal(state.workspaceId, refusal);
  }
}

function reasonOf({ spent, keyEnded, memberDeactivated }: SsoTicketState): string {
  if (spent) return 'spent';
  if (keyEnded) return 'key_ended';
  return memberDeactivated ? 'member_deactivated' : 'expired';
}
