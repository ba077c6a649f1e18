import type { TimerRow } from './desk-reading.js';

/** Milliseconds since 1970, unaffected by clock jumps. All times in a history use it. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** Outcome of a request: done, refused for good, or unknown (lost, too late, or 5xx). */
export type Outcome = 'ok' | 'refused' | 'unknown';

/** One request as the client saw it. */
export interface Operation {
  kind: OperationKind;
  /** Owner of the credential. */
  actor: string;
  workspaceId: string;
  instance: string;
  startedAt: number;
  endedAt: number;
  outcome: Outcome;
  /** 0 without a response. */
  status: number;
  /** True if the client stopped waiting. */
  gaveUp: boolean;
  /** True if the response had a Retry-After header. */
  hasRetryAfter: boolean;
  /** Identifies repeated attempts: client_message_id, Idempotency-Key, ticket or invite. */
  key: string | null;
  conversationId: string | null;
  /** Text that it sent. */
  content: string | null;
  /** Credential that the request ends. */
  ends: string | null;
  /** Id of what it created. */
  answer: string | null;
  /** Text of the response, if the checker searches it for foreign marks. */
  visibleText: { visibility: Visibility; text: string } | null;
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

/** Marks a client may see. Every message contains a mark of its workspace, channel and visitor. */
export interface Visibility {
  /** Mark of the workspace. */
  workspace: string;
  /** Marks of the channels; null for all. */
  channels: string[] | null;
  /** Mark of the visitor; null for all. */
  visitor: string | null;
  privateNotes: boolean;
}

/** A client that listens from its first `connected` on, and resumes whenever it is cut off. */
export interface Subscription {
  name: string;
  visibility: Visibility;
  audience: 'agent' | 'visitor';
  workspaceId: string;
  /** null: all channels of the workspace. */
  channelIds: string[] | null;
  /** The only conversation it listens to; null for all of the workspace or contact. */
  conversationId: string | null;
  contactId: string | null;
  /** The credential that it uses. */
  actor: string;
  /** Last position of the log when it began to listen. */
  from: bigint;
  connections: Connection[];
  frames: ReceivedFrame[];
}

/** One connection from open to close. */
export interface Connection {
  instance: string;
  openedAt: number;
  closedAt: number | null;
  code: number | null;
}

export interface ReceivedFrame {
  /** Index of the connection it arrived on. */
  connection: number;
  at: number;
  type: string;
  /** null for ephemeral frames. */
  id: string | null;
  cursor: string | null;
  text: string;
}

/** The end of a service process. */
export interface ProcessEnd {
  instance: string;
  /** Time of the stop request; null if there was none. */
  stopRequestedAt: number | null;
  at: number;
  how: string;
  /** True if a fault killed it. */
  killed: boolean;
}

/** Resources of an idle process. */
export interface Resources {
  instance: string;
  /** false for the baseline, true after the seed. */
  after: boolean;
  heapMiB: number;
  descriptors: number;
  timers: number;
  connections: number;
}

/** A visitor who types after everything was repaired, once per typing period. */
export interface Typing {
  workspaceId: string;
  channelId: string;
  conversationId: string;
  since: number;
  until: number;
  /** The only instance whose agents see it; null for all, if there is a bus. */
  instance: string | null;
}

/** Latency of another workspace's requests before and during the load of one workspace. */
export interface Crowding {
  description: string;
  calmMs: number;
  crowdedMs: number;
  /** Its requests that were refused during the load. */
  refused: string[];
}

/** An entry that a timer must add to a timeline exactly once before the fault ends. */
export interface ExpectedEntry {
  conversationId: string;
  event: 'woken' | 'resolved';
}

/** A change of the instances' clocks. */
export interface ClockChange {
  at: number;
  /** How far the most advanced clock is ahead from then on. */
  aheadMs: number;
}

/** A conversation that waited for an assignee while a member was free. */
export interface Wait {
  conversationId: string;
  memberId: string;
  ms: number;
  /** True if every instance knows the members of all. */
  bus: boolean;
}

/** A mail whose reason was acknowledged. The address belongs to no other mail. */
export interface ExpectedMail {
  address: string;
  /** Time when the reason was gone while the mail server was down; null while it stands. */
  goneAt: number | null;
}

/** A mail that the mail server received, acknowledged or not. */
export interface ReceivedMail {
  address: string;
  messageId: string;
  at: number;
}

/** Files that were acknowledged, their rows and the store, after all that failed had time to be removed. */
export interface FilesReading {
  acknowledged: { id: string; size: number }[];
  rows: { id: string; size: number; state: string }[];
  stored: { id: string; size: number }[];
  /** Bytes of each workspace's files, as stored and as recounted. */
  usages: { stored: number; actual: number }[];
}

/** Requests that a server of a workspace received. */
export interface Arrivals {
  /** Ids of events or turns in the order of their arrival, each as often as it arrived. */
  readonly received: readonly string[];
  /** Number of arrivals without a valid signature. */
  readonly unsigned: number;
}

/** A webhook for all events. */
export interface WatchedWebhook extends Arrivals {
  id: string;
  workspaceId: string;
  /** Last position of the log when it had been created. */
  from: bigint;
}

/** A bot and what it answers. */
export interface WatchedBot extends Arrivals {
  id: string;
  workspaceId: string;
  /** Contents of the messages that answer a turn, by its id. Each attempt of a turn is answered equally. */
  answers: Map<string, { contents: string[]; isLater: boolean }>;
}

/** The clients' view of one seed. */
export class History {
  readonly operations: Operation[] = [];
  readonly subscriptions: Subscription[] = [];
  readonly ended: ProcessEnd[] = [];
  readonly resources: Resources[] = [];
  readonly typing: Typing[] = [];
  readonly crowding: Crowding[] = [];
  /** Log lines of unhandled errors. */
  readonly complaints: { instance: string; line: string }[] = [];
  /** Descriptions of events that should have arrived during the fault. */
  readonly overdue: string[] = [];
  readonly expectedEntries: ExpectedEntry[] = [];
  readonly clocks: ClockChange[] = [];
  /** Timers that were left when advanced clocks had stood still for long enough. */
  readonly timersLeft: { at: number; timers: TimerRow[] }[] = [];
  readonly waits: Wait[] = [];
  readonly expectedMails: ExpectedMail[] = [];
  readonly receivedMails: ReceivedMail[] = [];
  readonly files: FilesReading[] = [];
  readonly webhooks: WatchedWebhook[] = [];
  readonly bots: WatchedBot[] = [];
  /** Time when a silent database answered again, if there is no bus that told the instances what ended elsewhere. */
  databaseBackAt = 0;
  /** Time when everything had been repaired. */
  healedAt = 0;
}
