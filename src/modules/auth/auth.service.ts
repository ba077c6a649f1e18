import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { NotFound, RateLimited, TokenRevoked } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import type { AgentPrincipal } from '../../kernel/principal.js';
import { systemOf } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { RateLimitService } from '../../platform/limits/rate-limit.service.js';
import { BotsService } from '../bots/index.js';
import { ChannelsService } from '../channels/index.js';
import type { Member, Membership } from '../members/index.js';
import { MembersService } from '../members/index.js';
import type { User } from '../users/index.js';
import { EmailTaken, UsersService } from '../users/index.js';
import type { Workspace } from '../workspaces/index.js';
import { WorkspacesService } from '../workspaces/index.js';
import { AuthLogService } from './auth-log.service.js';
import { InvalidCredentials, MemberDeactivated, RegistrationDisabled } from './auth.errors.js';
import type { SignIn } from './agent-session.js';
import { loginGuesses, loginSuccesses } from './login-guesses.js';
import { SessionsService } from './sessions.service.js';
import { SignInService } from './sign-in.service.js';

export interface Registration {
  workspace_name: string;
  name: string;
  email: string;
  password: string;
  rotate?: boolean | undefined;
}

export interface Credentials {
  email: string;
  password: string;
  workspace_id?: string | undefined;
  rotate?: boolean | undefined;
}

@Injectable()
export class AuthService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly users: UsersService,
    private readonly workspaces: WorkspacesService,
    private readonly bots: BotsService,
    private readonly channels: ChannelsService,
    private readonly members: MembersService,
    private readonly sessions: SessionsService,
    private readonly signIns: SignInService,
    private readonly log: AuthLogService,
    private readonly limiter: RateLimitService,
    private readonly config: Config,
  ) {}

  /**
   * Creates a workspace with its first channel, and the caller as its owner. A known e-mail needs that user's password;
   * wrong ones count as failed logins.
   * @throws RegistrationDisabled, EmailTaken, RateLimited
   */
  async register(registration: Registration, address: string): Promise<SignIn> {
    if (!this.config.allowRegistration) throw new RegistrationDisabled();
    const { email, password, name } = registration;
    const known = await this.users.findByEmail(email);
    if (known) {
      const checkPassword = () => this.users.hasPassword(known, password);
      if (!(await this.limiter.guess(loginGuesses(email, address), checkPassword, loginSuccesses(email)))) {
        this.log.recordUserRefusal(known.id, { method: 'register', reason: 'invalid_credentials' });
        throw new EmailTaken();
      }
    }
    const passwordHash = known ? null : await this.users.hashPassword(password, email);
    return this.units.run(async () => {
      if (known && !(await this.users.stillHasPassword(known))) throw new EmailTaken();
      const user = known ?? (await this.users.create(email, name, passwordHash));
      const workspace = await this.workspaces.create(registration.workspace_name);
      await this.bots.createSystemBot(workspace.id);
      await this.channels.create(systemOf(workspace.id), 'Website');
      const member = await this.members.createOwner(workspace.id, user, name);
      return this.signIns.open(member, { method: 'register', rotate: registration.rotate });
    });
  }

  /**
   * @param address the caller's network; failures are counted per e-mail, per address and per both
   * @throws InvalidCredentials, MemberDeactivated, RateLimited @throws NotFound for a workspace that is not the user's
   */
  async login(credentials: Credentials, address: string): Promise<SignIn & { memberships: Membership[] }> {
    const { email, password } = credentials;
    const found = await this.limiter
      .guess(loginGuesses(email, address), () => this.authenticate(email, password), loginSuccesses(email))
      .catch((error: unknown) => {
        if (error instanceof RateLimited) this.log.recordLockout(email);
        throw error;
      });
    if (!found) throw new InvalidCredentials();
    const { user, memberships } = found;
    const member = await this.chooseMember(memberships, credentials.workspace_id);
    const signIn = await this.units.run(async () => {
      if (!(await this.users.stillHasPassword(user))) throw new InvalidCredentials();
      return this.signIns.open(member, { method: 'login', rotate: credentials.rotate });
    });
    return { ...signIn, memberships: memberships.filter(({ status }) => status === 'active') };
  }

  /** @throws InvalidToken, TokenExpired, TokenRevoked */
  async refresh(refreshToken: string): Promise<SignIn> {
    const open = await this.sessions.refresh(refreshToken);
    const { workspaceId, userId } = open.session;
    const member = await this.members.findByUser(workspaceId, userId);
    const workspace = await this.workspaces.find(workspaceId);
    if (!member || !workspace) throw new NotFound();
    if (member.status !== 'active') throw new TokenRevoked();
    return { open, member, workspace };
  }

  async me(principal: AgentPrincipal): Promise<{ member: Member; workspace: Workspace; memberships: Membership[] }> {
    const member = await this.members.get(principal, principal.memberId);
    const workspace = await this.workspaces.get(principal);
    const memberships = (await this.members.findMemberships(principal.userId)).filter(
      ({ workspaceId, claimed, status }) =>
        workspaceId === principal.workspaceId || (!principal.workspaceBound && claimed && status === 'active'),
    );
    return { member, workspace, memberships };
  }

  /**
   * Returns the memberships that the password opens, or null for none. Reads memberships for unknown users too: one
   * query less would reveal that the e-mail is unknown.
   */
  private async authenticate(
    email: string,
    password: string,
  ): Promise<{ user: User; memberships: Membership[] } | null> {
    const { user, passwordMatches: right } = await this.users.authenticate(email, password);
    const memberships = await this.members.findMemberships(user?.id ?? newId());
    const claimed = memberships.filter(membership => membership.claimed);
    if (user && right && claimed.length > 0) return { user, memberships: claimed };
    for (const { workspaceId, memberId } of claimed) {
      this.log.recordRefusal(workspaceId, { method: 'login', member_id: memberId, reason: 'invalid_credentials' });
    }
    return null;
  }

  private async chooseMember(memberships: Membership[], workspaceId: string | undefined): Promise<Member> {
    const candidates = memberships.filter(
      membership => workspaceId === undefined || membership.workspaceId === workspaceId,
    );
    if (candidates.length === 0) throw new NotFound();
    const active = candidates.find(({ status }) => status === 'active');
    if (!active) {
      for (const { workspaceId: where, memberId } of candidates) {
        this.log.recordRefusal(where, { method: 'login', member_id: memberId, reason: 'member_deactivated' });
      }
      throw new MemberDeactivated();
    }
    return this.members.get(systemOf(active.workspaceId), active.memberId);
  }
}
