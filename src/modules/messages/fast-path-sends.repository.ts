import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/domain-event.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { Visibility } from '../../platform/database/visibility.js';
import type { WrittenRow } from '../../platform/events/event.repository.js';
import { SEND_ONE } from './fast-path-send-one.js';
import { SEND } from './fast-path-statements.js';
import type { UnnumberedRecord } from './message.js';

/** Locks in the order of `SEND`: the filter of the conversations is evaluated before the first one is locked. */
const LOCK = statement(`
  WITH locked_contact AS MATERIALIZED (
    SELECT id FROM contact WHERE workspace_id = ANY($1::uuid[]) AND id = ANY($2::uuid[]) ORDER BY id FOR SHARE
  )
  SELECT id FROM conversation
  WHERE workspace_id = ANY($1::uuid[]) AND id = ANY($3::uuid[]) AND (SELECT count(*) FROM locked_contact) IS NOT NULL
  ORDER BY id FOR NO KEY UPDATE`);

/** A message to send, with its sender's visibility and the data of its event. */
export interface FastPathSend {
  visibility: Visibility;
  conversationId: string;
  /** The statement adds `seq` and `created_at`. */
  record: UnnumberedRecord;
  preview: string;
  eventId: string;
  actor: Actor;
  requestId: string | null;
  /** The generation of a visitor's token, which must still be the contact's current one; null for other senders. */
  generation: number | null;
}

/** Result of a sent message. */
export interface FastPathRow extends WrittenRow {
  skipped: false;
  channel_id: string;
  contact_id: string;
  seq: number;
  at: Date;
  public_seq: number;
  public_at: Date;
  agents_unread: number;
  contact_unread: number;
  /** The conversation's last event before this batch, on the first message of each conversation; null on the others. */
  previous: { id: string; xid: string } | null;
}

/** Result for a message whose conversation or contact was locked by another transaction. */
export const SKIPPED_ROW = 'skipped';
export type SendOutcome = FastPathRow | typeof SKIPPED_ROW | null;

type AnswerRow = { ordinal: number } & (FastPathRow | { skipped: boolean; seq: null });

@Injectable()
export class FastPathSendsRepository {
  constructor(private readonly sql: SqlService) {}

  /**
   * @param timeout milliseconds left for the statement
   * @returns one outcome per send: null if it was not sent, `SKIPPED_ROW` if a lock was in the way. Sends to one
   *   conversation get their `seq` in the given order
   */
  async send(sends: readonly FastPathSend[], timeout?: number): Promise<SendOutcome[]> {
    const [only] = sends;
    const [text, values] = sends.length === 1 && only ? [SEND_ONE, toValues(only)] : [SEND, [toJson(sends)]];
    return toOutcomes(sends, await this.sql.rows<AnswerRow>(text, values, timeout));
  }

  /**
   * Waits for the rows that these sends lock, in the current unit of work. A statement that waits for a row and then
   * updates it can deadlock with the next one that waits, so `send` must not wait itself.
   * @throws QueryFailedError (`isLockTimeout`)
   */
  async lock(sends: readonly FastPathSend[]): Promise<void> {
    const workspaceIds = sends.map(({ visibility }) => visibility.workspaceId);
    const contactIds = sends.flatMap(({ visibility: { contactId } }) => contactId ?? []);
    await this.sql.rows(LOCK, [workspaceIds, contactIds, sends.map(({ conversationId }) => conversationId)]);
  }
}

/** A row has the fields of its record, and the record's text. Both come from one serialisation. */
function toJson(sends: readonly FastPathSend[]): string {
  const rows = sends.map((one, ordinal) => {
    const record = toOpenText(one.record);
    const rest = JSON.stringify({
      ordinal,
      workspace_id: one.visibility.workspaceId,
      conversation_id: one.conversationId,
      record,
      preview: one.preview,
      event_id: one.eventId,
      actor: one.actor,
      request_id: one.requestId,
      channels: one.visibility.channels,
      visitor_id: one.visibility.contactId,
      generation: one.generation,
    });
    return `${record},${rest.slice(1)}`;
  });
  return `[${rows.join(',')}]`;
}

/** The record as JSON without the closing bracket, so that the statement can add `seq` and `created_at`. */
const toOpenText = (record: UnnumberedRecord) => JSON.stringify(record).slice(0, -1);

/** The values of `SEND_ONE`. */
function toValues({ visibility, conversationId, record, ...send }: FastPathSend): unknown[] {
  return [
    visibility.workspaceId,
    conversationId,
    visibility.channels,
    visibility.contactId,
    send.generation,
    record.id,
    record.sender_type,
    record.sender_id,
    record.sender_name,
    record.sender_avatar_url,
    record.content_type,
    record.content,
    JSON.stringify(record.metadata),
    record.client_message_id,
    record.private,
    toOpenText(record),
    send.preview,
    send.eventId,
    JSON.stringify(send.actor),
    send.requestId,
  ];
}

function toOutcomes(sends: readonly FastPathSend[], rows: readonly AnswerRow[]): SendOutcome[] {
  const outcomes = sends.map((): SendOutcome => null);
  for (const row of rows) {
    if (row.skipped) outcomes[row.ordinal] = SKIPPED_ROW;
    else if (row.seq !== null) outcomes[row.ordinal] = row;
  }
  return outcomes;
}
