import { Body, Controller, Get, Header, Headers, Patch, Post, Query } from '@nestjs/common';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import { Forbidden } from '../../kernel/errors.js';
import type { VisitorPrincipal } from '../../kernel/principal.js';
import { Allow, Public } from '../../platform/access/access.decorator.js';
import { bearerToken } from '../../platform/access/authenticator.js';
import { Caller, Origin } from '../../platform/access/caller.decorator.js';
import { Answers, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { LimitRate } from '../../platform/limits/rate-limit.guard.js';
import { OriginNotAllowed } from '../channels/index.js';
import { ContactBlocked, EmailMissing } from '../contacts/index.js';
import { IdentityInvalid, IdentityRequired, WidgetTokenInvalid } from './widget.errors.js';
import {
  OpenSessionBody,
  PublicWidgetConfigView,
  UpdateVisitorContactBody,
  VisitorContactView,
  WidgetConfigQuery,
  WidgetSessionView,
} from './widget.schema.js';
import { WidgetService } from './widget.service.js';

@Section(
  'Visitor',
  'Routes for the chat widget. Visitors can call only these routes; agents and API keys cannot call them.',
)
@Controller('widget')
export class WidgetVisitorController {
  constructor(private readonly widget: WidgetService) {}

  @Post('session')
  @Summary(
    'Open a visitor session.',
    'Finds or creates the contact. The same `external_id` finds the same contact; without one, a new anonymous contact is created. A visitor token as Bearer renews the session of its contact. E-mail and phone never match a contact. To prove who the visitor is, send an `identity_token` signed by your server.',
  )
  @Public()
  @Answers(WidgetSessionView)
  @Throws(WidgetTokenInvalid, OriginNotAllowed, IdentityRequired, IdentityInvalid, ContactBlocked)
  async openSession(
    @Body() body: OpenSessionBody,
    @Origin() { network }: ClientOrigin,
    @Headers('origin') origin?: string,
    @Headers('authorization') authorization?: string,
  ): Promise<WidgetSessionView> {
    const session = await this.widget.open(body, { network, origin, bearer: bearerToken(authorization) });
    return {
      visitor_token: session.token,
      expires_in: session.expiresIn,
      contact_id: session.contact.id,
      channel_name: session.channel.name,
      widget_config: session.config,
      contact: session.contact,
    };
  }

  @Get('config')
  @Summary('Get the widget configuration.', 'For a page that draws the launcher. Creates no contact.')
  @Public()
  @LimitRate('widget_config')
  @Header('Cache-Control', 'public, max-age=60')
  @Header('Vary', 'Origin')
  @Answers(PublicWidgetConfigView)
  @Throws(WidgetTokenInvalid, OriginNotAllowed)
  async getConfig(
    @Query() query: WidgetConfigQuery,
    @Origin() { network }: ClientOrigin,
    @Headers('origin') origin?: string,
  ): Promise<PublicWidgetConfigView> {
    const { channel, config } = await this.widget.getConfig(query.widget_token, { network, origin });
    return { channel_name: channel.name, widget_config: config };
  }

  @Get('contact')
  @Summary(
    "Get the visitor's contact.",
    'Without proof of identity some fields are null; see the description of each field.',
  )
  @Allow('widget:read')
  @Answers(VisitorContactView)
  getContact(@Caller() caller: VisitorPrincipal): Promise<VisitorContactView> {
    return this.widget.getContact(caller);
  }

  @Patch('contact')
  @Summary(
    "Update the visitor's contact.",
    'Null clears a field. Returns the same fields as `GET /v1/widget/contact`, plus those that this request set.',
  )
  @Allow('widget:write')
  @Answers(VisitorContactView)
  @Throws(Forbidden, EmailMissing)
  updateContact(
    @Caller() caller: VisitorPrincipal,
    @Body() body: UpdateVisitorContactBody,
  ): Promise<VisitorContactView> {
    return this.widget.updateContact(caller, body);
  }
}
