import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { rank } from '../../kernel/principal.js';
import { sha256 } from '../../kernel/secret.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import type { Counter } from '../../platform/limits/rate-limit.service.js';
import { RateLimitService } from '../../platform/limits/rate-limit.service.js';
import type { SignIn } from '../auth/index.js';
import { InvalidCredentials, loginGuesses, loginSuccesses, SignInService } from '../auth/index.js';
import { JoiningService } from '../members/index.js';
import type { User } from '../users/index.js';
import { EmailTaken, UsersService } from '../users/index.js';
import { WorkspacesService } from '../workspaces/index.js';
import { InviteLogService } from './invite-log.service.js';
import { InviteChecksService } from './invite-checks.service.js';
import type { Invite, InviteRecord } from './invite.js';
import { toInviteRecord } from './invite.js';
import { InviteInvalid, MailboxUnproved } from './invites.errors.js';
import { InvitesRepository } from './invites.repository.js';
import { MailboxProofsService } from './mailbox-proofs.service.js';

export interface Acceptance {
  invite_token: string;
  name: string;
  password: string;
  rotate?: boolean | undefined;
}

export type InvitePreview = Pick<InviteRecord, 'email' | 'role' | 'expires_at'> & { workspace_name: string };

/** Accepts invites. */
@Injectable()
export class AcceptanceService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly invites: InvitesRepository,
    private readonly inviteChecks: InviteChecksService,
    private readonly users: UsersService,
    private readonly workspaces: WorkspacesService,
    private readonly joining: JoiningService,
    private readonly signIns: SignInService,
    private readonly proofs: MailboxProofsService,
    private readonly log: InviteLogService,
    private readonly limiter: RateLimitService,
    private readonly clock: Clock,
  ) {}

  /** Returns what the invite grants. @throws InviteInvalid, RateLimited */
  async preview(token: string, address: string): Promise<InvitePreview> {
    const invite = await this.limiter.guess([['invite_preview', address]], async () => {
      const check = await this.inviteChecks.checkToken(token);
      return check.refusal === null ? check.invite : null;
    });
    const workspace = invite && (await this.workspaces.find(invite.workspaceId));
    if (!workspace) throw new InviteInvalid();
    const { email, role, expires_at } = toInviteRecord(invite, this.clock.now());
    return { workspace_name: workspace.name, email, role, expires_at };
  }

  /**
   * Spends the invite and signs the person in; one of several concurrent uses succeeds. A known user proves its
   * identity with its password. A user without a password sets it, which requires a mailed link if the user is a member
   * of another workspace.
   * @param address the caller's network; failures are counted there, and wrong passwords like failed logins
   * @throws InviteInvalid, InvalidCredentials, MailboxUnproved, MemberExists, LastOwner, RateLimited
   */
  async accept(acceptance: Acceptance, address: string): Promise<SignIn> {
    const failures: Counter = ['register_user', address];
    const invite = await this.limiter.guess([failures], () => this.findOpenInvite(acceptance.invite_token));
    if (!invite) throw new InviteInvalid();
    const user = await this.users.findByEmail(invite.email);
    const known = user?.passwordHash ? user : null;
    if (known) {
      const checkPassword = () => this.verifyPassword(invite, known, acceptance.password);
      const counters = [...loginGuesses(invite.email, address), failures];
      if (!(await this.limiter.guess(counters, checkPassword, loginSuccesses(invite.email))))
        throw new InvalidCredentials();
    }
    try {
      await this.proofs.assertProved(invite, user, acceptance.invite_token);
      const newHash = known ? null : await this.users.hashPassword(acceptance.password, invite.email);
      return await this.units.run(() => this.spend(invite, acceptance, user, newHash));
    } catch (error) {
      // the user was created, or got a password, since the lookup: start again and check that password
      if (error instanceof EmailTaken) return this.accept(acceptance, address);
      if (error instanceof InviteInvalid) await this.limiter.fail(...failures);
      if (error instanceof MailboxUnproved) await this.refuseUnproved(invite);
      throw error;
    }
  }

  /** Finds the invite that the token opens. Why a known invite is refused is recorded, not revealed. */
  private async findOpenInvite(token: string): Promise<Invite | null> {
    const { invite, refusal } = await this.inviteChecks.checkToken(token);
    if (!invite || !refusal) return invite;
    this.signIns.recordRefusal(invite.workspaceId, { method: 'invite', member_id: null, reason: refusal });
    return null;
  }

  private async refuseUnproved(invite: Invite): Promise<void> {
    const refusal = { method: 'invite', member_id: null, reason: 'mailbox_unproved' } as const;
    this.signIns.recordRefusal(invite.workspaceId, refusal);
    await this.proofs.mailLink(invite);
  }

  private async verifyPassword({ workspaceId }: Invite, user: User, password: string): Promise<boolean> {
    if (await this.users.hasPassword(user, password)) return true;
    this.signIns.recordRefusal(workspaceId, { method: 'invite', member_id: null, reason: 'invalid_credentials' });
    return false;
  }

  /** Locks in the same order as logins and deactivations: the user, the members, the invite. */
  private async spend(
    invite: Invite,
    acceptance: Acceptance,
    known: User | null,
    newHash: string | null,
  ): Promise<SignIn> {
    if (known && !(await this.users.stillHasPassword(known))) {
      throw known.passwordHash === null ? new EmailTaken() : new InvalidCredentials();
    }
    await this.proofs.assertProved(invite, known, acceptance.invite_token);
    const { workspaceId } = invite;
    const member = known && (await this.joining.lockMembership(workspaceId, known.id));
    const { by } = await this.inviteChecks.checkToken(acceptance.invite_token);
    if (by === null || (member && rank(member.role) > rank(by))) throw new InviteInvalid();
    const spent = await this.invites.spend(sha256(acceptance.invite_token), this.clock.now());
    if (!spent) throw new InviteInvalid();
    const user = known ?? (await this.users.create(spent.email, acceptance.name, newHash));
    if (known && newHash !== null) await this.users.setPassword(known.id, newHash);
    const { role, channelIds } = spent;
    const joined = await this.joining.join(workspaceId, user, { name: acceptance.name, role, channelIds });
    await this.log.recordEvent('invite.accepted', spent, { type: 'member', id: joined.id });
    return this.signIns.open(joined, { method: 'invite', rotate: acceptance.rotate });
  }
}
