import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { toWireTime } from '../../../kernel/clock.js';
import type { Actor, NewEvent } from '../../../kernel/domain-event.js';
import { newId } from '../../../kernel/ids.js';
import type { Principal } from '../../../kernel/principal.js';
import { scopeOf } from '../../../kernel/principal.js';
import { isLockTimeout, isRefused } from '../../../platform/database/database-errors.js';
import { WriteBatcher } from '../../../platform/database/write-batcher.js';
import { KeyedWriteBatcher } from '../../../platform/database/keyed-write-batcher.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { EventLog } from '../../../platform/events/event-log.js';
import type { AppendedEvent } from '../../../platform/events/event.repository.js';
import { PAYLOAD_VERSION, toAppendedEvent } from '../../../platform/events/event.repository.js';
import type { ConversationProgress } from '../conversations.events.js';
import type { MessageDraft } from './message-appender.service.js';
import type { Message } from './message.js';
import { toMessageRecord, toPreview } from './message.js';
import type { FastPathRow, FastPathSend, SendOutcome } from './fast-path-sends.repository.js';
import { FastPathSendsRepository, SKIPPED_ROW } from './fast-path-sends.repository.js';

/** As many as one statement takes: more would hold the locks longer than it saves commits. */
const MAX_BATCH = 128;
/** The part of the connections that may wait for locked conversations. */
const CONTENDED_POOL_SHARE = 0.5;
/** The part of a statement's time that is left to those who have waited long for the one before. */
const MIN_TIMEOUT_SHARE = 0.1;
const NO_LIMIT_MS = 2 ** 31 - 1;

interface PendingSend {
  message: Omit<Message, 'seq' | 'createdAt'>;
  send: FastPathSend;
}

type FastSendResult = Message | typeof SKIPPED_ROW | null;

/**
 * The short way of what is said most: into a conversation that is open and served by people, with nothing to check but
 * that. It is one statement instead of a transaction of six, and those that come while one is under way share the next.
 * Whatever is different takes the long way, which knows every case, and every refusal.
 *
 * The shared statement waits for no lock. Messages into a conversation that it had to skip wait in a statement of that
 * conversation's own, `DATABASE_LOCK_TIMEOUT_MS` at most, and so do those that come after them: a row that stays locked
 * delays nobody else, and one that two instances take in turns is waited for in line.
 */
@Injectable()
export class FastPathSendsService {
  private readonly shared: WriteBatcher<PendingSend, SendOutcome, FastSendResult>;
  private readonly contended: KeyedWriteBatcher<PendingSend, SendOutcome, FastSendResult>;

  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLog,
    private readonly sends: FastPathSendsRepository,
    config: Config,
  ) {
    const { databasePoolSize, databaseQueryTimeoutMs: queryMs, databaseLockTimeoutMs } = config;
    const common = {
      maxItems: MAX_BATCH,
      onFlush: (wanted: readonly PendingSend[], rows: readonly SendOutcome[]) => this.publishAll(wanted, rows),
      isRetryable: (error: unknown) => isRefused(error) && !isLockTimeout(error),
    };
    this.shared = new WriteBatcher({
      ...common,
      waitMs: queryMs || NO_LIMIT_MS,
      execute: (wanted, waitedMs) => this.sends.send(sendsOf(wanted), remainingTimeout(queryMs, waitedMs)),
    });
    this.contended = new KeyedWriteBatcher({
      ...common,
      waitMs: databaseLockTimeoutMs,
      lanes: Math.max(1, Math.floor(databasePoolSize * CONTENDED_POOL_SHARE)),
      execute: (wanted, leftMs) => this.sends.sendAndWait(sendsOf(wanted), leftMs),
    });
  }

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
      return await this.sendBatched({ message, send });
    } catch (error) {
      if (isRefused(error) && !isLockTimeout(error)) return null;
      throw error;
    }
  }

  private async sendBatched(pending: PendingSend): Promise<Message | null> {
    const { conversationId } = pending.send;
    const result = this.contended.has(conversationId) ? SKIPPED_ROW : await this.shared.add(pending);
    if (result !== SKIPPED_ROW) return result;
    const waited = await this.contended.add(conversationId, pending);
    return waited === SKIPPED_ROW ? null : waited;
  }

  /** @returns null for each that the statement has left out */
  private publishAll(pending: readonly PendingSend[], rows: readonly SendOutcome[]): FastSendResult[] {
    const previousEvents = new Map<string, AppendedEvent>();
    return pending.map(({ message, send }, index) => {
      const row = rows[index] ?? null;
      if (row === null || row === SKIPPED_ROW) return row;
      const event = toEvent(send, row, previousEvents.get(send.conversationId) ?? row.previous);
      previousEvents.set(send.conversationId, event);
      this.events.publish(event);
      return { ...message, seq: row.seq, createdAt: row.at };
    });
  }
}

function sendsOf(pending: readonly PendingSend[]): FastPathSend[] {
  return pending.map(({ send }) => send);
}

/** The statement's limit, so that those who waited for the one before are answered in time; undefined for the usual one. */
function remainingTimeout(limitMs: number, waitedMs: number): number | undefined {
  if (waitedMs < limitMs * MIN_TIMEOUT_SHARE) return undefined;
  return limitMs === 0 ? undefined : Math.max(limitMs * MIN_TIMEOUT_SHARE, limitMs - waitedMs);
}

function toEvent(send: FastPathSend, row: FastPathRow, previous: AppendedEvent['previous']): AppendedEvent {
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
  const eventContext = { workspaceId, channelId: row.channel_id, conversationId, contactId: row.contact_id };
  const event: NewEvent<'message.created'> = {
    type: 'message.created',
    ...eventContext,
    actor,
    payload: { message, conversation },
  };
  const stamp = { payloadVersion: PAYLOAD_VERSION, requestId };
  return toAppendedEvent(send.eventId, event, stamp, row, previous && { id: previous.id, xid: previous.xid });
}
