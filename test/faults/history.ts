/** Milliseconds since 1970 that no clock's jump moves: the time of everything in a history. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** How a request ended: done, refused for good, or nobody knows (lost, too late, or 5xx). */
export type Outcome = 'ok' | 'refused' | 'unknown';

/** One request of a client, as the client saw it. */
export interface Operation {
  kind: OperationKind;
  /** Whose credential it carried. */
  who: string;
  workspaceId: string;
  instance: string;
  startedAt: number;
  endedAt: number;
  outcome: Outcome;
  /** 0 where there was no answer. */
  status: number;
  /** Whether it was the client that did not wait any longer. */
  gaveUp: boolean;
  /** Whether the answer said when to come again. */
  saysWhen: boolean;
  /** What makes a second attempt the same one: client_message_id, Idempotency-Key, the ticket or the invite. */
  key: string | null;
  conversationId: string | null;
  /** The words that it sent. */
  content: string | null;
  /** The credential that it ends. */
  ends: string | null;
  /** The id of what it made. */
  answer: string | null;
  /** What the answer said, as far as somebody listens for words that are not its caller's. */
  heard: { ears: Ears; text: string } | null;
}

export type OperationKind =
  | 'send'
  | 'change'
  | 'look'
  | 'trespass'
  | 'member'
  | 'exchange'
  | 'accept'
  | 'use'
  | 'revoke'
  | 'deactivate'
  | 'logout';

/** Whose words may come to somebody: every message carries a mark that says where it was said. */
export interface Ears {
  /** The mark of the one workspace. */
  workspace: string;
  /** The marks of the channels; null for all. */
  channels: string[] | null;
  /** The mark of the one visitor; null for all. */
  visitor: string | null;
  notes: boolean;
}

/** A client that listens, from its first `connected` on, and comes back with its cursor whenever it is cut off. */
export interface Hearing {
  name: string;
  ears: Ears;
  audience: 'agent' | 'visitor';
  workspaceId: string;
  /** null: all of the workspace's. */
  channelIds: string[] | null;
  /** The one conversation that it listens to; null: an inbox, or a contact's room. */
  conversationId: string | null;
  contactId: string | null;
  /** The credential that it came with. */
  who: string;
  /** The log's last position when it began to listen. */
  from: bigint;
  stays: Stay[];
  frames: HeardFrame[];
}

/** From one connection to its end. */
export interface Stay {
  instance: string;
  openedAt: number;
  closedAt: number | null;
  code: number | null;
}

export interface HeardFrame {
  /** Of the stay that it came in. */
  stay: number;
  at: number;
  type: string;
  /** null for frames of the moment. */
  id: string | null;
  cursor: string | null;
  text: string;
}

/** What became of a process of the service. */
export interface Ended {
  instance: string;
  /** When it was told to stop; null when nobody did. */
  askedAt: number | null;
  at: number;
  how: string;
  /** Whether the fault was its death. */
  killed: boolean;
}

/** What a process holds on to when nobody wants anything of it. */
export interface Resources {
  instance: string;
  /** false for the base line, true after the seed. */
  after: boolean;
  heapMiB: number;
  descriptors: number;
  timers: number;
  connections: number;
}

/** A visitor who types, and goes on typing for as long as typing lasts, after everything has been put right. */
export interface Typing {
  workspaceId: string;
  channelId: string;
  conversationId: string;
  since: number;
  until: number;
  /** The one instance whose listeners hear of it; null: all, for they have a bus. */
  instance: string | null;
}

/** How long another workspace's requests took, before one workspace crowded an instance and meanwhile. */
export interface Crowding {
  what: string;
  calmMs: number;
  crowdedMs: number;
  /** Its requests that were refused meanwhile. */
  refused: string[];
}

/** All that the outside saw of one seed. */
export class History {
  readonly operations: Operation[] = [];
  readonly hearings: Hearing[] = [];
  readonly ended: Ended[] = [];
  readonly resources: Resources[] = [];
  readonly typing: Typing[] = [];
  readonly crowding: Crowding[] = [];
  /** Lines of the log that tell of a promise that nobody kept, or of a fault that became ours. */
  readonly complaints: { instance: string; line: string }[] = [];
  /** What somebody should have heard while the fault lasted, and had not. */
  readonly overdue: string[] = [];
  /** When everything was as it should be again. */
  healedAt = 0;
}
