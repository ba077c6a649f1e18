import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock } from '../../kernel/clock.js';
import { NotFound } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import { assertAllowed } from '../../kernel/permission.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import { ChannelsService } from '../channels/index.js';
import { ContactsService } from '../contacts/index.js';
import { ConversationsService, unknownId } from '../conversations/index.js';
import type { CannedResponse } from './canned-response.js';
import { toCannedResponseRecord } from './canned-response.js';
import './canned-responses.events.js';
import type { CannedResponseQuery } from './canned-responses.repository.js';
import { CannedResponsesRepository } from './canned-responses.repository.js';
import type { Rendered } from './template.js';
import { render } from './template.js';

export interface CannedResponseFields {
  short_code: string;
  title: string;
  content: string;
  tags?: string[] | undefined;
}

type ChangeEvent = 'canned_response.created' | 'canned_response.updated' | 'canned_response.deleted';

@Injectable()
export class CannedResponsesService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLogService,
    private readonly responses: CannedResponsesRepository,
    private readonly conversations: ConversationsService,
    private readonly contacts: ContactsService,
    private readonly channels: ChannelsService,
    private readonly clock: Clock,
  ) {}

  list(principal: StaffPrincipal, query: CannedResponseQuery): Promise<Page<CannedResponse>> {
    return this.responses.findPage(principal, query);
  }

  /** @throws NotFound */
  async get(principal: StaffPrincipal, id: string): Promise<CannedResponse> {
    const response = await this.responses.findVisible(principal, id);
    if (!response) throw new NotFound();
    return response;
  }

  /** @throws ShortCodeTaken */
  async create(principal: StaffPrincipal, fields: CannedResponseFields): Promise<CannedResponse> {
    const now = this.clock.now();
    const response: CannedResponse = {
      id: newId(),
      workspaceId: principal.workspaceId,
      shortCode: fields.short_code,
      title: fields.title,
      content: fields.content,
      tags: fields.tags ?? [],
      createdBy: principal.kind === 'agent' ? principal.memberId : null,
      usageCount: 0,
      createdAt: now,
      updatedAt: now,
    };
    return this.units.run(async () => {
      await this.responses.insert(response);
      await this.recordEvent('canned_response.created', response, principal);
      return response;
    });
  }

  /** @throws NotFound, ShortCodeTaken */
  async update(principal: StaffPrincipal, id: string, changes: Partial<CannedResponseFields>): Promise<CannedResponse> {
    return this.units.run(async () => {
      const response = await this.lock(principal, id);
      response.shortCode = changes.short_code ?? response.shortCode;
      response.title = changes.title ?? response.title;
      response.content = changes.content ?? response.content;
      response.tags = changes.tags ?? response.tags;
      response.updatedAt = this.clock.now();
      await this.responses.save(response);
      await this.recordEvent('canned_response.updated', response, principal);
      return response;
    });
  }

  /** @throws NotFound */
  async delete(principal: StaffPrincipal, id: string): Promise<void> {
    await this.units.run(async () => {
      const response = await this.lock(principal, id);
      await this.responses.remove(response);
      await this.recordEvent('canned_response.deleted', response, principal);
    });
  }

  /**
   * Renders the content for this conversation and caller, and counts one use. The caller needs `conversations:read`,
   * because the result contains conversation data and an API key may lack that scope.
   * @throws NotFound, Forbidden @throws ValidationFailed if the conversation does not exist
   */
  async render(principal: StaffPrincipal, id: string, conversationId: string): Promise<Rendered> {
    assertAllowed(principal, 'conversations:read');
    const response = await this.get(principal, id);
    const conversation = await this.conversations.find(principal, conversationId);
    if (!conversation) throw unknownId('conversation_id');
    const { workspaceId, contactId, channelId, number } = conversation;
    const contact = await this.contacts.find(workspaceId, contactId);
    const channel = await this.channels.find(workspaceId, channelId);
    await this.units.run(() => this.responses.countUse(response));
    return render(response.content, {
      'contact.name': contact?.name ?? null,
      'agent.name': principal.kind === 'agent' ? principal.name : null,
      'conversation.number': String(number),
      'channel.name': channel?.name ?? null,
    });
  }

  private async lock(principal: StaffPrincipal, id: string): Promise<CannedResponse> {
    const response = await this.responses.lockVisible(principal, id);
    if (!response) throw new NotFound();
    return response;
  }

  private async recordEvent(type: ChangeEvent, response: CannedResponse, principal: StaffPrincipal): Promise<void> {
    const payload = toCannedResponseRecord(response);
    await this.events.record({ type, workspaceId: response.workspaceId, actor: actorOf(principal), payload });
  }
}
