import { Injectable } from '@nestjs/common';
import { toWireTime } from '../../../kernel/clock.js';
import type { Actor, NewEvent } from '../../../kernel/domain-event.js';
import { newId } from '../../../kernel/ids.js';
import type { Principal } from '../../../kernel/principal.js';
import { scopeOf } from '../../../kernel/principal.js';
import { isRefused } from '../../../platform/database/database-errors.js';
import { Gathering } from '../../../platform/database/gathering.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { EventLog } from '../../../platform/events/event-log.js';
import type { AppendedEvent } from '../../../platform/events/event.repository.js';
import { PAYLOAD_VERSION, toAppendedEvent } from '../../../platform/events/event.repository.js';
import type { ConversationProgress } from '../conversations.events.js';
import type { MessageDraft } from './message-appender.service.js';
import type { Message } from './message.js';
import { toMessageRecord, toPreview } from './message.js';
import type { PlainRow, PlainSend } from './plain-sends.repository.js';
import { PlainSendsRepository } from './plain-sends.repository.js';

/** As many as one statement takes: more would hold the locks longer than it saves commits. */
const MOST = 128;

interface Wanted {
  message: Omit<Message, 'seq' | 'createdAt'>;
  send: PlainSend;
}

/**
 * The short way of what is said most: into a conversation that is open and served by people, with nothing to check but
 * that. It is one statement instead of a transaction of six, and those that come while one is under way share the next.
 * Whatever is different takes the long way, which knows every case, and every refusal.
 */
@Injectable()
export class PlainSends {
  private readonly gathering = new Gathering<Wanted, PlainRow | null, Message | null>({
    most: MOST,
    run: wanted => this.sends.send(wanted.map(({ send }) => send)),
    tell: (wanted, rows) => this.tell(wanted, rows),
    undone: isRefused,
  });

  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLog,
    private readonly sends: PlainSendsRepository,
  ) {}

  /** @returns null when it has not been said, and has to go the long way; also in a unit of work, which it would not join */
  async send(
    principal: Principal,
    conversationId: string,
    draft: Required<MessageDraft>,
    actor: Actor,
  ): Promise<Message | null> {
    if (this.units.active || draft.replyToId !== null) return null;
    const { workspaceId } = principal;
    const message = {
      ...draft,
      id: newId(),
      workspaceId,
      conversationId,
      attachments: [],
      editedAt: null,
      deletedAt: null,
    };
    const send = {
      workspaceId,
      conversationId,
      record: toMessageRecord({ ...message, seq: 0, createdAt: new Date(0) }),
      preview: toPreview(draft.content),
      eventId: newId(),
      actor,
      requestId: this.events.requestId,
      scope: scopeOf(principal),
      visitor:
        principal.kind === 'visitor' ? { contactId: principal.contactId, generation: principal.generation } : null,
    };
    try {
      return await this.gathering.add({ message, send });
    } catch (error) {
      if (isRefused(error)) return null;
      throw error;
    }
  }

  /** @returns null for each that the statement has left out */
  private tell(wanted: readonly Wanted[], rows: readonly (PlainRow | null)[]): (Message | null)[] {
    const before = new Map<string, AppendedEvent>();
    return wanted.map(({ message, send }, place) => {
      const row = rows[place];
      if (!row) return null;
      const event = toEvent(send, row, before.get(send.conversationId) ?? row.previous);
      before.set(send.conversationId, event);
      this.events.publish(event);
      return { ...message, seq: row.seq, createdAt: row.at };
    });
  }
}

function toEvent(send: PlainSend, row: PlainRow, previous: AppendedEvent['previous']): AppendedEvent {
  const { workspaceId, conversationId, actor, requestId } = send;
  const at = toWireTime(row.at);
  const conversation: ConversationProgress = {
    id: conversationId,
    status: 'open',
    last_seq: row.seq,
    last_public_seq: row.public_seq,
    unread: { agents: row.agents_unread, contact: row.contact_unread },
    last_activity_at: at,
    last_public_activity_at: toWireTime(row.public_at),
  };
  const message = { ...send.record, seq: row.seq, created_at: at };
  const place = { workspaceId, channelId: row.channel_id, conversationId, contactId: row.contact_id };
  const event: NewEvent<'message.created'> = {
    type: 'message.created',
    ...place,
    actor,
    payload: { message, conversation },
  };
  const stamp = { payloadVersion: PAYLOAD_VERSION, requestId };
  return toAppendedEvent(send.eventId, event, stamp, row, previous && { id: previous.id, xid: previous.xid });
}
