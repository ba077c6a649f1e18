import type { ClientFrame } from './frames.js';
import type { AnyFrame } from './live-stream.js';
import type { ClosedEvent, LiveState } from './persistent-connection.js';

/** Messages between the tabs that share a socket. `from` and `to` are ids of tabs; without `to` all receive it. */
export type TabMessage = { from: string; to?: string | undefined } & TabMessageBody;

/** `count` is the number of frames and ends that the leader has sent to all, so that a tab notices a lost message. */
export type TabMessageBody =
  /** Asks the leader for its state. */
  | { kind: 'hello' }
  /** A new leader, which resumes after the cursor. */
  | { kind: 'lead'; visible: boolean; after: string | undefined }
  | {
      kind: 'state';
      visible: boolean;
      state: LiveState;
      count: number;
      cursor: string | undefined;
      /** The frame `connected`, while the leader is connected. */
      connected: AnyFrame | undefined;
    }
  /** Only frames of the snapshot for one tab have no `count`. */
  | { kind: 'frame'; count?: number; frame: AnyFrame }
  | { kind: 'closed'; count: number; event: ClosedEvent }
  /** For the leader, from any tab: a frame for the service, a wake-up, a cursor to resume after. */
  | { kind: 'send'; frame: ClientFrame }
  | { kind: 'wake' }
  | { kind: 'cursor'; cursor: string };

export type TabMessageOf<K extends TabMessageBody['kind']> = Extract<TabMessageBody, { kind: K }>;
