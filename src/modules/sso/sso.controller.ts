import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import { NotFound } from '../../kernel/errors.js';
import type { AgentPrincipal, ApiKeyPrincipal } from '../../kernel/principal.js';
import { BrowserNotAllowed } from '../../platform/access/access.guard.js';
import { Allow, Public } from '../../platform/access/access.decorator.js';
import { Caller, Origin } from '../../platform/access/caller.decorator.js';
import { Answers, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { invalidField } from '../../platform/http/validation.js';
import { LimitRate } from '../../platform/limits/rate-limit.guard.js';
import type { AgentSessionRecord } from '../auth/index.js';
import { MemberDeactivated, toAgentSessionRecord } from '../auth/index.js';
import { AgentTokensService } from './agent-tokens.service.js';
import { MemberNotFound, SsoTicketInvalid, WorkspaceBound } from './sso.errors.js';
import { AgentTokenBody, ExchangeSsoTicketBody, IssueSsoTicketBody, SsoTicketView } from './sso.schema.js';
import { SsoService } from './sso.service.js';

@ApiTags('One-time dashboard SSO')
@Controller('auth')
export class SsoController {
  constructor(
    private readonly sso: SsoService,
    private readonly agentTokens: AgentTokensService,
  ) {}

  @Post('sso/ticket')
  @Summary('A one-time ticket to the dashboard for a member, for 60 seconds. For backends, never for browsers.')
  @Allow('sso:write', { only: 'api_key', keyOutsideBrowsers: true })
  @LimitRate('sso_ticket')
  @Answers(SsoTicketView)
  @Throws(BrowserNotAllowed, MemberNotFound)
  async issue(@Caller() caller: ApiKeyPrincipal, @Body() body: IssueSsoTicketBody): Promise<SsoTicketView> {
    return { redirect_url: await this.sso.issue(caller, body) };
  }

  @Post('sso/exchange')
  @Summary('A session for a ticket, once. Takes nothing but a ticket; every bad one is refused alike.')
  @Public()
  @Answers('AgentSessionView')
  @Throws(SsoTicketInvalid)
  async exchange(@Body() body: ExchangeSsoTicketBody, @Origin() origin: ClientOrigin): Promise<AgentSessionRecord> {
    return toAgentSessionRecord(await this.sso.exchange(body.ticket, body.rotate, origin.network));
  }

  @Post('agent-token')
  @Summary('By API key: a session of a member, as by a ticket. By agent: its own in another workspace, or narrower.')
  @Allow('sso:write', { keyOutsideBrowsers: true })
  @Answers('AgentSessionView')
  @Throws(BrowserNotAllowed, MemberNotFound, WorkspaceBound, NotFound, MemberDeactivated)
  async agentToken(
    @Caller() caller: AgentPrincipal | ApiKeyPrincipal,
    @Body() { email, workspace_id, channel_ids }: AgentTokenBody,
  ): Promise<AgentSessionRecord> {
    if (caller.kind === 'agent') {
      return toAgentSessionRecord(await this.agentTokens.fromSession(caller, { workspace_id, channel_ids }));
    }
    if (email === undefined) return invalidField('email', 'required', 'email is required');
    return toAgentSessionRecord(await this.agentTokens.forMember(caller, { email, channel_ids }));
  }
}
