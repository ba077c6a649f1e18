import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { VisitorPrincipal } from '../../kernel/principal.js';
import { FileStore } from '../../platform/files/file-store.js';
import { RateLimitService } from '../../platform/limits/rate-limit.service.js';
import { MailQueueService } from '../../platform/mail/mail-queue.service.js';
import type { VisitorClaims } from '../auth/index.js';
import { channelGenerationIn, TokenService, VISITOR_SECONDS } from '../auth/index.js';
import { AvailabilityService } from '../availability/index.js';
import type { Channel } from '../channels/index.js';
import { readVisitedPage, ChannelsService, tokenGenerationOf, visitorKind } from '../channels/index.js';
import type { Contact, ContactDetails } from '../contacts/index.js';
import { ContactBlocked, ContactsService, VisitorPagesService } from '../contacts/index.js';
import type { Workspace } from '../workspaces/index.js';
import { WorkspacesService } from '../workspaces/index.js';
import { IdentityService } from './identity.service.js';
import type { VisitorContactRecord } from './visitor-contact.js';
import { isExclusiveToVisitor, toVisitorContactRecord } from './visitor-contact.js';
import type { WidgetConfigRecord } from './widget-session.js';
import { toWidgetConfigRecord } from './widget-session.js';
import { WidgetTokenInvalid } from './widget.errors.js';

/** How long after its expiry a visitor token can renew the session of its contact. */
const RENEWABLE_MS = 30 * 24 * 3600 * 1000;

export interface SessionRequest extends ContactDetails {
  widget_token: string;
  external_id?: string | undefined;
  identity_token?: string | undefined;
  page?: unknown;
}

/** Origin of the request. */
export interface SessionOrigin {
  network: string;
  origin: string | undefined;
  /** Visitor token that the page sends along. */
  bearer: string | null;
}

export interface WidgetSession {
  token: string;
  expiresIn: number;
  contact: VisitorContactRecord;
  channel: Channel;
  config: WidgetConfigRecord;
}

/** Opens visitor sessions: exchanges a public widget token for the token of one contact. */
@Injectable()
export class WidgetService {
  constructor(
    private readonly channels: ChannelsService,
    private readonly contacts: ContactsService,
    private readonly pages: VisitorPagesService,
    private readonly workspaces: WorkspacesService,
    private readonly identity: IdentityService,
    private readonly tokens: TokenService,
    private readonly limiter: RateLimitService,
    private readonly availability: AvailabilityService,
    private readonly mails: MailQueueService,
    private readonly store: FileStore,
    private readonly clock: Clock,
  ) {}

  /** @throws WidgetTokenInvalid, OriginNotAllowed, IdentityRequired, IdentityInvalid, ContactBlocked, RateLimited */
  async open(request: SessionRequest, from: SessionOrigin): Promise<WidgetSession> {
    const channel = await this.findChannel(request.widget_token, from.network);
    await this.limiter.consume('widget_session', `${request.widget_token} ${from.network}`);
    const workspace = await this.admit(channel, from.origin);
    const verified = this.identity.isProven(channel, request.external_id, request.identity_token);
    const contact = await this.findOrCreateContact(channel, request, verified, from.bearer);
    if (contact.blocked) throw new ContactBlocked();
    await this.limiter.consume('widget_session_contact', contact.id);
    this.reportPage(channel, contact.id, request.page);
    // from the channel as it was when the proof was checked: if that generation has ended since, the token is refused
    const cgen = tokenGenerationOf(channel, visitorKind(contact.verified));
    const claims = { sub: contact.id, ws: channel.workspaceId, ch: channel.id, gen: contact.tokenGeneration, cgen };
    return {
      token: this.tokens.signVisitor(claims),
      expiresIn: VISITOR_SECONDS,
      contact: toVisitorContactRecord(contact, verified ? null : request),
      channel,
      config: await this.configOf(channel, workspace),
    };
  }

  /** Config that a page needs to draw the launcher. Creates no contact. */
  async getConfig(
    widgetToken: string,
    from: Pick<SessionOrigin, 'network' | 'origin'>,
  ): Promise<{ channel: Channel; config: WidgetConfigRecord }> {
    const channel = await this.findChannel(widgetToken, from.network);
    const workspace = await this.admit(channel, from.origin);
    return { channel, config: await this.configOf(channel, workspace) };
  }

  /** Channel that visitors can use, whatever page they come from. Null if there is none. @throws RateLimited */
  async findActiveChannel(widgetToken: string, network: string): Promise<Channel | null> {
    try {
      const channel = await this.findChannel(widgetToken, network);
      await this.admit(channel, undefined);
      return channel;
    } catch (error) {
      if (error instanceof WidgetTokenInvalid) return null;
      throw error;
    }
  }

  async getContact(principal: VisitorPrincipal): Promise<VisitorContactRecord> {
    const contact = await this.contacts.get(principal, principal.contactId);
    return toVisitorContactRecord(contact, isExclusiveToVisitor(contact) ? null : {});
  }

  async updateContact(principal: VisitorPrincipal, details: ContactDetails): Promise<VisitorContactRecord> {
    const contact = await this.contacts.update(principal, principal.contactId, details);
    return toVisitorContactRecord(contact, isExclusiveToVisitor(contact) ? null : details);
  }

  /**
   * Counts unknown tokens per address, not per token, so that random tokens create no counters.
   * @throws WidgetTokenInvalid, RateLimited
   */
  private async findChannel(widgetToken: string, network: string): Promise<Channel> {
    await this.limiter.assertBelow('widget_token_unknown', network);
    const channel = await this.channels.findByWidgetToken(widgetToken);
    if (channel) return channel;
    await this.limiter.fail('widget_token_unknown', network);
    throw new WidgetTokenInvalid();
  }

  private async admit(channel: Channel, origin: string | undefined): Promise<Workspace> {
    if (channel.status !== 'active') throw new WidgetTokenInvalid();
    this.channels.assertOriginAllowed(channel.allowedOrigins, origin);
    const workspace = await this.workspaces.find(channel.workspaceId);
    if (!workspace) throw new WidgetTokenInvalid();
    return workspace;
  }

  /** Finds the contact by the sent visitor token, else by the external id, else creates one. */
  private async findOrCreateContact(
    channel: Channel,
    request: SessionRequest,
    verified: boolean,
    bearer: string | null,
  ): Promise<Contact> {
    const bearerContact = await this.findBearerContact(channel, bearer);
    const { external_id: externalId = null, ...details } = detailsOf(request);
    const same =
      bearerContact &&
      bearerContact.verified === verified &&
      (externalId === null || bearerContact.externalId === externalId);
    const isUnrevoked = ({ tokenGeneration }: Contact) => tokenGeneration === bearerContact?.tokenGeneration;
    const arrived =
      same &&
      (await this.contacts.recordArrival(
        bearerContact.workspaceId,
        bearerContact.id,
        channel.id,
        details,
        isUnrevoked,
      ));
    if (arrived) return arrived;
    return this.contacts.findOrCreate(channel.workspaceId, channel.id, { externalId, verified }, details);
  }

  private async findBearerContact(channel: Channel, bearer: string | null): Promise<Contact | null> {
    if (bearer === null) return null;
    const claims = this.readToken(bearer);
    if (!claims || claims.ws !== channel.workspaceId || claims.ch !== channel.id) return null;
    if (claims.exp * 1000 + RENEWABLE_MS < this.clock.now().getTime()) return null;
    const contact = await this.contacts.find(claims.ws, claims.sub);
    if (contact?.tokenGeneration !== claims.gen) return null;
    return tokenGenerationOf(channel, visitorKind(contact.verified)) === channelGenerationIn(claims) ? contact : null;
  }

  /** Ignores an invalid token, because the route is public. */
  private readToken(bearer: string): VisitorClaims | null {
    try {
      return this.tokens.verify<VisitorClaims>(bearer, 'visitor');
    } catch (error) {
      if (error instanceof DomainError) return null;
      throw error;
    }
  }

  private reportPage(
    { workspaceId, id: channelId, keptQueryParams }: Channel,
    contactId: string,
    given: unknown,
  ): void {
    const page = readVisitedPage(given, keptQueryParams);
    if (page) this.pages.report({ workspaceId, contactId, channelId }, page);
  }

  private async configOf(channel: Channel, workspace: Workspace): Promise<WidgetConfigRecord> {
    const availability = await this.availability.getAvailability(channel, workspace);
    return toWidgetConfigRecord(channel, availability, { mail: this.mails.delivers, files: this.store.usable });
  }
}

function detailsOf(request: SessionRequest): ContactDetails & { external_id?: string | undefined } {
  const { external_id, name, email, phone, locale, timezone, custom_attributes } = request;
  return { external_id, name, email, phone, locale, timezone, custom_attributes };
}
