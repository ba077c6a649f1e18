import { Injectable } from '@nestjs/common';
import { NotFound } from '../../kernel/errors.js';
import type { Principal, VisitorPrincipal } from '../../kernel/principal.js';
import type { Contact } from '../contacts/index.js';
import { ConversationScopesRepository } from './conversation-scopes.repository.js';
import type { Conversation, ConversationScope } from './conversation.js';
import { ConversationsRepository } from './conversations.repository.js';

const CONTACT_PAGE = 100;

/** Finds and locks conversations. */
@Injectable()
export class ConversationsService {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly scopes: ConversationScopesRepository,
  ) {}

  /** Finds the conversation if the caller may see it. */
  find(principal: Principal, id: string): Promise<Conversation | null> {
    return this.conversations.findVisible(principal, id);
  }

  /** Finds the scope if the caller may see the conversation. Batched: do not call it within a unit of work. */
  findScope(principal: Principal, id: string): Promise<ConversationScope | null> {
    return this.scopes.find(principal, id);
  }

  /** Ids of all conversations of the visitor on its channel. */
  findVisibleIds(principal: VisitorPrincipal): Promise<string[]> {
    return this.conversations.findVisibleIds(principal);
  }

  /** Assignees of the visitor's unresolved conversations. @param id only this conversation; null for all */
  findAssigneeIds(principal: VisitorPrincipal, id: string | null): Promise<string[]> {
    return this.scopes.findAssigneeIds(principal, id);
  }

  /** All conversations of the contact, oldest first, in pages. */
  async *listByContact({ workspaceId, id }: Contact): AsyncGenerator<Conversation[]> {
    for (let after: string | null | undefined = null; after !== undefined;) {
      const page = await this.conversations.findPageByContact(workspaceId, id, after, CONTACT_PAGE);
      yield page;
      after = page.length < CONTACT_PAGE ? undefined : page.at(-1)?.id;
    }
  }

  /** @throws NotFound */
  async get(principal: Principal, id: string): Promise<Conversation> {
    const conversation = await this.find(principal, id);
    if (!conversation) throw new NotFound();
    return conversation;
  }

  /** Locks the conversation until the unit of work ends. @throws NotFound */
  async lock(principal: Principal, id: string): Promise<Conversation> {
    const conversation = await this.conversations.lockVisible(principal, id);
    if (!conversation) throw new NotFound();
    return conversation;
  }

  /** Like `lock`, but does not wait. @returns null also if another transaction has locked the conversation */
  tryLock(principal: Principal, id: string): Promise<Conversation | null> {
    return this.conversations.tryLockVisible(principal, id);
  }

  /** Locks the conversations in the order of their ids, until the unit of work ends. */
  lockAll(principal: Principal, ids: readonly string[]): Promise<Conversation[]> {
    return this.conversations.lockAllVisible(principal, ids);
  }
}
