import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { toWireTime } from '../../kernel/clock.js';
import type { Actor, NewEvent } from '../../kernel/domain-event.js';
import { newId } from '../../kernel/ids.js';
import type { Principal } from '../../kernel/principal.js';
import { isLockTimeout, isRejected } from '../../platform/database/database-errors.js';
import { visibilityOf } from '../../platform/database/visibility.js';
import { WriteBatcher } from '../../platform/database/write-batcher.js';
import { KeyedWriteBatcher } from '../../platform/database/keyed-write-batcher.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import type { AppendedEvent } from '../../platform/events/event.repository.js';
import { toAppendedEvent } from '../../platform/events/event.repository.js';
import type { ConversationProgress } from './messages.events.js';
import { MESSAGE_CREATED_VERSION } from './messages.events.js';
import type { MessageDraft } from './message-appender.service.js';
import { MessageMetricsService } from './message-metrics.service.js';
import type { Message, UnnumberedMessage } from './message.js';
import { toPreview, toUnnumberedRecord } from './message.js';
import type { FastPathRow, FastPathSend, SendOutcome } from './fast-path-sends.repository.js';
import { FastPathSendsRepository, SKIPPED_ROW } from './fast-path-sends.repository.js';

/** Maximum messages per statement. A larger batch would keep its locks longer than it saves commits. */
const MAX_BATCH = 128;
/** Share of the connection pool that may wait for locked conversations. */
const CONTENDED_POOL_SHARE = 0.5;
/** Minimum share of the statement timeout for sends that waited long for the previous statement. */
const MIN_TIMEOUT_SHARE = 0.1;
const NO_LIMIT_MS = 2 ** 31 - 1;

interface PendingSend {
  message: UnnumberedMessage;
  send: FastPathSend;
}

type FastSendResult = Message | typeof SKIPPED_ROW | null;

/**
 * Fast path for the most frequent sends: into an open conversation served by people, without further checks. It is one
 * statement instead of a transaction of six, and sends that arrive while it runs share the next one. Any other send
 * uses `sendWithLock`, which handles every case and error.
 * The shared statement waits for no lock. Sends to a conversation that it skipped, and later sends to it, wait in a
 * transaction for that conversation alone, at most `DATABASE_LOCK_TIMEOUT_MS`. A row that stays locked therefore delays
 * no other conversation.
 */
@Injectable()
export class FastPathSendsService {
  private readonly shared: WriteBatcher<PendingSend, SendOutcome, FastSendResult>;
  private readonly contended: KeyedWriteBatcher<PendingSend, SendOutcome, FastSendResult>;

  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLogService,
    private readonly sends: FastPathSendsRepository,
    private readonly metrics: MessageMetricsService,
    config: Config,
  ) {
    const { databasePoolSize, databaseQueryTimeoutMs: queryMs, databaseLockTimeoutMs } = config;
    const common = {
      maxItems: MAX_BATCH,
      onFlush: (pending: readonly PendingSend[], rows: readonly SendOutcome[]) => this.publishAll(pending, rows),
      isRetryable: (error: unknown) => isRejected(error) && !isLockTimeout(error),
    };
    this.shared = new WriteBatcher({
      ...common,
      waitMs: queryMs || NO_LIMIT_MS,
      execute: (pending, waitedMs) => this.sends.send(sendsOf(pending), remainingTimeout(queryMs, waitedMs)),
    });
    this.contended = new KeyedWriteBatcher({
      ...common,
      waitMs: databaseLockTimeoutMs,
      lanes: Math.max(1, Math.floor(databasePoolSize * CONTENDED_POOL_SHARE)),
      execute: (pending, leftMs) => this.sendWhenUnlocked(sendsOf(pending), leftMs),
    });
  }

  /**
   * @returns null if the message was not sent and needs the slow path, always within a unit of work, which it cannot
   *   join
   */
  async send(
    principal: Principal,
    conversationId: string,
    draft: Required<Omit<MessageDraft, 'id' | 'attachments'>>,
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
      visibility: visibilityOf(principal),
      conversationId,
      record: toUnnumberedRecord(message),
      preview: toPreview(draft.content),
      eventId: newId(),
      actor,
      requestId: this.events.requestId,
      generation: principal.kind === 'visitor' ? principal.generation : null,
    };
    try {
      return await this.sendBatched({ message, send });
    } catch (error) {
      if (isRejected(error) && !isLockTimeout(error)) return null;
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

  private sendWhenUnlocked(sends: readonly FastPathSend[], lockMs: number): Promise<SendOutcome[]> {
    const send = async (): Promise<SendOutcome[]> => {
      await this.sends.lock(sends);
      return this.sends.send(sends);
    };
    return this.units.run(send, { lockMs });
  }

  /** @returns null for each send that the statement left out */
  private publishAll(pending: readonly PendingSend[], rows: readonly SendOutcome[]): FastSendResult[] {
    const previousEvents = new Map<string, AppendedEvent>();
    this.metrics.countBatch(pending.length);
    this.metrics.count('statement', rows.filter(row => row !== null && row !== SKIPPED_ROW).length);
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

/** Statement timeout that is left after the wait, so that callers are answered in time; undefined for the default. */
function remainingTimeout(limitMs: number, waitedMs: number): number | undefined {
  if (waitedMs < limitMs * MIN_TIMEOUT_SHARE) return undefined;
  return limitMs === 0 ? undefined : Math.max(limitMs * MIN_TIMEOUT_SHARE, limitMs - waitedMs);
}

function toEvent(send: FastPathSend, row: FastPathRow, previous: AppendedEvent['previous']): AppendedEvent {
  const { conversationId, actor, requestId } = send;
  const { workspaceId } = send.visibility;
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
  const stamp = { payloadVersion: MESSAGE_CREATED_VERSION, requestId };
  return toAppendedEvent(send.eventId, event, stamp, row, previous && { id: previous.id, xid: previous.xid });
}
