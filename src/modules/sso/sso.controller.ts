import { Body, Controller, Post } from '@nestjs/common';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import { NotFound } from '../../kernel/errors.js';
import type { AgentPrincipal, ApiKeyPrincipal } from '../../kernel/principal.js';
import { BrowserNotAllowed } from '../../platform/access/access.guard.js';
import { Allow, Public } from '../../platform/access/access.decorator.js';
import { Caller, Origin } from '../../platform/access/caller.decorator.js';
import { Answers, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { invalidField } from '../../platform/schemas/validation.js';
import { LimitRate } from '../../platform/limits/rate-limit.guard.js';
import type { AgentSessionRecord } from '../auth/index.js';
import { MemberDeactivated, toAgentSessionRecord } from '../auth/index.js';
import { AgentTokensService } from './agent-tokens.service.js';
import { MemberNotFound, SsoTicketInvalid, WorkspaceBound } from './sso.errors.js';
import { AgentTokenBody, ExchangeSsoTicketBody, IssueSsoTicketBody, SsoTicketView } from './sso.schema.js';
import { SsoService } from './sso.service.js';

@Section(
  'One-time dashboard SSO',
  'Sign your users in to the dashboard: your backend issues a ticket with its API key and redirects the user to `redirect_url`, and the dashboard exchanges the ticket for a session.',
)
@Controller('auth')
export class SsoController {
  constructor(
    private readonly sso: SsoService,
    private readonly agentTokens: AgentTokensService,
  ) {}

  @Post('sso/ticket')
  @Summary(
    'Issue a one-time ticket that signs a member in to the dashboard.',
    'For backends only: a request from a browser returns 403 `browser_not_allowed`. Redirect the user to `redirect_url` within 60 seconds; it works once. Without `channel_ids` the session sees everything that the member sees; with an empty list it sees nothing.',
  )
  @Allow('sso:write', { only: 'api_key', keyOutsideBrowsers: true })
  @LimitRate('sso_ticket')
  @Answers(SsoTicketView)
  @Throws(BrowserNotAllowed, MemberNotFound)
  async issue(@Caller() caller: ApiKeyPrincipal, @Body() body: IssueSsoTicketBody): Promise<SsoTicketView> {
    return { redirect_url: await this.sso.issue(caller, body) };
  }

  @Post('sso/exchange')
  @Summary(
    'Exchange a ticket for a session, once.',
    'Requires no other credential. Returns 401 `sso_ticket_invalid` for an unknown, used or expired ticket alike.',
  )
  @Public()
  @Answers('AgentSessionView')
  @Throws(SsoTicketInvalid)
  async exchange(@Body() body: ExchangeSsoTicketBody, @Origin() origin: ClientOrigin): Promise<AgentSessionRecord> {
    return toAgentSessionRecord(await this.sso.exchange(body.ticket, body.rotate, origin.network));
  }

  @Post('agent-token')
  @Summary(
    'Open a session without a password.',
    'With an API key: opens a session of the member with `email`, under the rules of `POST /v1/auth/sso/ticket`. With an access token: opens a session of the same user in another workspace (`workspace_id`) or with fewer channels (`channel_ids`).',
  )
  @Allow('sso:write', { keyOutsideBrowsers: true })
  @Answers('AgentSessionView')
  @Throws(BrowserNotAllowed, MemberNotFound, WorkspaceBound, NotFound, MemberDeactivated)
  async agentToken(
    @Caller() caller: AgentPrincipal | ApiKeyPrincipal,
    @Body() { email, workspace_id, channel_ids }: AgentTokenBody,
  ): Promise<AgentSessionRecord> {
    if (caller.kind === 'agent') {
      return toAgentSessionRecord(await this.agentTokens.openFromSession(caller, { workspace_id, channel_ids }));
    }
    if (email === undefined) return invalidField('email', 'required', 'email is required');
    return toAgentSessionRecord(await this.agentTokens.openForMember(caller, { email, channel_ids }));
  }
}
