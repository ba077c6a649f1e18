import { Body, Controller, Get, Headers, Post, UseGuards } from '@nestjs/common';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import { toScopeRecord } from '../../kernel/channel-scope.js';
import { InvalidToken, NotFound, TokenExpired, TokenRevoked, Unauthenticated } from '../../kernel/errors.js';
import type { AgentPrincipal } from '../../kernel/principal.js';
import { actingRole } from '../../kernel/principal.js';
import { Allow, Public } from '../../platform/access/access.decorator.js';
import { bearerToken } from '../../platform/access/authenticator.js';
import { Caller, Origin } from '../../platform/access/caller.decorator.js';
import { Answers, Creates, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { LimitRate } from '../../platform/limits/rate-limit.guard.js';
import type { Membership } from '../members/index.js';
import { toMemberRecord } from '../members/index.js';
import { EmailTaken, HashCapacityGuard } from '../users/index.js';
import { toWorkspaceRecord } from '../workspaces/index.js';
import { toAgentSessionRecord } from './agent-session.js';
import { InvalidCredentials, MemberDeactivated, RegistrationDisabled } from './auth.errors.js';
import type { WorkspaceMembershipView } from './auth.schema.js';
import { AgentSessionView, DoneView, LoginBody, MeView, RefreshBody, RegisterBody } from './auth.schema.js';
import { AuthService } from './auth.service.js';
import { SessionsService } from './sessions.service.js';

@Section(
  'Agent authentication',
  'Registration, sign-in, refresh, invites and passwords of agents. An access token is valid for 15 minutes, a refresh token for 7 days.',
)
@Controller('auth')
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly sessions: SessionsService,
  ) {}

  @Post('register')
  @Summary(
    'Register a workspace with its first channel. The caller becomes its owner.',
    "If the e-mail belongs to an existing user, `password` must be that user's password; otherwise returns 409 `email_taken`. Returns 403 `registration_disabled` if the operator closed registration.",
  )
  @Public()
  @LimitRate('register')
  @UseGuards(HashCapacityGuard)
  @Creates(AgentSessionView)
  @Throws(EmailTaken, RegistrationDisabled)
  async register(@Body() body: RegisterBody, @Origin() origin: ClientOrigin): Promise<AgentSessionView> {
    return toAgentSessionRecord(await this.auth.register(body, origin.network));
  }

  @Post('login')
  @Summary(
    'Sign in with e-mail and password.',
    'Returns an access token for 15 minutes and a refresh token for 7 days. An unknown e-mail and a wrong password both return 401 `invalid_credentials`. A user with several workspaces enters the first, or the one in `workspace_id`; `workspaces` lists them all.',
  )
  @Public()
  @UseGuards(HashCapacityGuard)
  @Answers(AgentSessionView)
  @Throws(InvalidCredentials, MemberDeactivated, NotFound)
  async login(@Body() body: LoginBody, @Origin() origin: ClientOrigin): Promise<AgentSessionView> {
    const { memberships, ...signIn } = await this.auth.login(body, origin.network);
    return { ...toAgentSessionRecord(signIn), workspaces: memberships.map(toWorkspaceMembershipView) };
  }

  @Post('refresh')
  @Summary(
    'Get a new access token.',
    'Takes the refresh token in the body or as Bearer. The refresh token stays the same and expires 7 days after sign-in. In a session opened with `rotate: true` each call returns a new refresh token, and using an old one ends the session. Refresh on `token_expired` only; on any other 401 sign in again.',
  )
  @Public()
  @Answers(AgentSessionView)
  @Throws(Unauthenticated, InvalidToken, TokenExpired, TokenRevoked)
  async refresh(@Body() body: RefreshBody, @Headers('authorization') header?: string): Promise<AgentSessionView> {
    return toAgentSessionRecord(await this.auth.refresh(presented(body, header)));
  }

  @Post('logout')
  @Summary(
    'Sign out and end the session.',
    'Takes the refresh token in the body or as Bearer. Revokes the tokens and closes the sockets of the session and of all sessions opened from it.',
  )
  @Public()
  @Answers(DoneView)
  @Throws(Unauthenticated, InvalidToken)
  async logout(@Body() body: RefreshBody, @Headers('authorization') header?: string): Promise<DoneView> {
    await this.sessions.logout(presented(body, header));
    return { done: true };
  }

  @Get('me')
  @Summary(
    'Get the member, workspace, scope and rights of the token.',
    'A session opened by an API key has at most the rights of an admin: `acting_role` is the role of the session, `member.role` the role of the member.',
  )
  @Allow('session:read', { only: 'agent' })
  @Answers(MeView)
  async me(@Caller() caller: AgentPrincipal): Promise<MeView> {
    const { member, workspace, memberships } = await this.auth.me(caller);
    return {
      member: toMemberRecord(member),
      workspace: toWorkspaceRecord(workspace),
      scope: toScopeRecord(caller.scope),
      acting_role: actingRole(caller),
      workspaces: memberships.map(toWorkspaceMembershipView),
    };
  }
}

function presented(body: RefreshBody, header: string | undefined): string {
  const token = body.refresh_token ?? bearerToken(header);
  if (!token) throw new Unauthenticated();
  return token;
}

function toWorkspaceMembershipView({ workspaceId, workspaceName, role }: Membership): WorkspaceMembershipView {
  return { id: workspaceId, name: workspaceName, role };
}
