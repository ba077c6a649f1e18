import { Injectable, OnModuleInit } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock } from '../../kernel/clock.js';
import type { Principal } from '../../kernel/principal.js';
import { EventLog } from '../../platform/events/event-log.js';
import { Idempotency } from '../../platform/idempotency/idempotency.service.js';
import type { ErasedPerson } from '../contacts/index.js';
import { ContactErasureHoldings } from '../contacts/index.js';
import { ConversationChanges } from './conversation-changes.service.js';
import { ConversationsRepository } from './conversations.repository.js';
import { transition } from './lifecycle.js';
import { MessagesRepository } from './messages/messages.repository.js';

/** What was said with a person that is erased is forgotten; that there were conversations stays, to be counted. */
@Injectable()
export class ContactErasure implements OnModuleInit {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly messages: MessagesRepository,
    private readonly changes: ConversationChanges,
    private readonly events: EventLog,
    private readonly answers: Idempotency,
    private readonly ofErasures: ContactErasureHoldings,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.ofErasures.add((person, by) => this.erase(person, by));
  }

  /** Resolving comes last: it counts, and others wait for what is counted. */
  private async erase({ workspaceId, contactId }: ErasedPerson, by: Principal): Promise<void> {
    const now = this.clock.now();
    const ids = (await this.conversations.lockOf(workspaceId, contactId)).map(({ id }) => id);
    await this.messages.erase(workspaceId, ids, now);
    await this.conversations.erase(workspaceId, ids, now);
    await this.events.forgetConversations(workspaceId, ids);
    await this.answers.forget(workspaceId, ids);
    const left = (await this.conversations.lockOf(workspaceId, contactId)).filter(
      ({ status }) => status !== 'resolved',
    );
    const actor = actorOf(by);
    const effects = left[0] && transition(left[0], 'resolve', { now, actor });
    if (effects) await this.changes.applyAll(left, effects, actor);
  }
}
