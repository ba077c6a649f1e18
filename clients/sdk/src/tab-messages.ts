import type { ClientFrame } from './frames.js';
import type { AnyFrame } from './live-stream.js';

/** Messages between the tabs that share a socket. `from` and `to` are ids of tabs; without `to` all receive it. */
export type TabMessage = { from: string; to?: string | undefined } & TabMessageBody;

export type TabMessageBody =
  /** For the leader: a tab asks for everything since its cursor, or for the present state. */
  | { ask: string | null }
  /** For the leader: a frame for the service. */
  | { send: ClientFrame }
  /** The lock has passed from the leader with this term to another one. */
  | { resigned: number }
  | LeaderMessage;

/** A message of a leader: an entry of its stream, the answer to a tab that has asked, or a sign of life. */
export interface LeaderMessage {
  /** Each leader has a larger one than those before. */
  term: number;
  /** Number of entries that the leader has sent, so that a tab notices a lost message. */
  count: number;
  visible: boolean;
  entry?: AnyFrame;
  /** The leader's socket begins without a cursor. */
  isFresh?: boolean;
  answer?: TabAnswer;
}

export interface TabAnswer {
  /** The cursor that the tab has asked with. */
  after: string | null;
  /** The frames that show the present state: `connected`, and who is online. */
  present: AnyFrame[];
  /**
   * The frames since the cursor of the tab, and between them the cursors that the stream has reached; undefined if the
   * leader does not have all of them.
   */
  missed: AnyFrame[] | undefined;
  cursor: string | undefined;
  /** Ids of the events that a socket from the cursor on would receive again. */
  seen: string[];
}
