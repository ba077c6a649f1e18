import { CursorInvalid } from '../../kernel/errors.js';
import { decodeCursor, encodeCursor } from '../../kernel/page.js';
import type { Message, MessageRecord } from './message.js';
import { toMessageRecord } from './message.js';

const LIST = 'messages';

/** Maximum of the integer column. */
const MAX_SEQ = 2 ** 31 - 1;

/** A window of a conversation's messages: after a `seq`, before one, or the newest. */
export interface MessageWindow {
  beforeSeq?: number | undefined;
  afterSeq?: number | undefined;
  limit: number;
}

export interface MessagesRequest {
  before_seq?: number | undefined;
  after_seq?: number | undefined;
  cursor?: string | undefined;
  limit: number;
}

/**
 * Window of a request, one message longer than its page to detect the end. A cursor continues from a page.
 * @throws CursorInvalid
 */
export function windowOf({ before_seq, after_seq, cursor, limit }: MessagesRequest): MessageWindow {
  const window: MessageWindow = { beforeSeq: clampSeq(before_seq), afterSeq: clampSeq(after_seq), limit: limit + 1 };
  if (cursor === undefined) return window;
  const [direction, seq] = decodeCursor(LIST, cursor, 2);
  if (typeof seq !== 'number' || seq < 0 || seq > MAX_SEQ) throw new CursorInvalid();
  if (direction === 'after') return { ...window, afterSeq: seq };
  if (direction === 'before') return { ...window, beforeSeq: seq };
  throw new CursorInvalid();
}

/** Clamps a `seq` beyond the maximum, so that the column can be compared with it. */
function clampSeq(seq: number | undefined): number | undefined {
  return seq === undefined ? undefined : Math.min(seq, MAX_SEQ);
}

/**
 * Cuts the window to its page, and adds the cursor: towards newer messages with `afterSeq`, else towards older ones.
 */
export function toMessagePage(
  messages: Message[],
  window: MessageWindow,
): { items: MessageRecord[]; next_cursor: string | null } {
  const limit = window.limit - 1;
  const forwards = window.afterSeq !== undefined;
  const more = messages.length > limit;
  const page = !more ? messages : forwards ? messages.slice(0, limit) : messages.slice(1);
  const edge = forwards ? page.at(-1) : page[0];
  const next = more && edge ? encodeCursor(LIST, [forwards ? 'after' : 'before', edge.seq]) : null;
  return { items: page.map(toMessageRecord), next_cursor: next };
}
