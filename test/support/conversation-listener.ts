import type { Json } from './json.js';
import type { Frame, TestSocket } from './socket.js';
import type { Person, ConversationModel } from './conversation-model.js';
import { ExpectedEvents } from './expected-events.js';

/** Names of persons in the model by the ids in frames. */
export type Names = ReadonlyMap<string | null, string>;

interface ReceivedEvent {
  id: string;
  line: string;
  /** Number of model events when the receiving socket was opened. */
  openedAt: number;
  /** True if it arrived in a replay. */
  replayed: boolean;
}

/** One client across many connections: events received without duplicates, and the cursor it resumes from. */
export class ModelListener {
  cursor: string | null = null;
  private socket: TestSocket | null = null;
  private openedAt = 0;
  private taken = 0;
  private replaying = false;
  private readonly received: ReceivedEvent[] = [];
  private readonly ids = new Set<string>();
  private readonly owed: ExpectedEvents;

  constructor(
    readonly person: Person,
    private readonly model: ConversationModel,
    private readonly conversationId: string,
    private readonly names: Names,
    early: TestSocket | null,
  ) {
    this.owed = new ExpectedEvents(model, person, 0);
    if (early) this.attach(early, 0);
    else this.forget();
  }

  get connected(): boolean {
    return this.socket !== null;
  }

  /** @param open opens the socket, with `after` if a cursor is given */
  async connect(open: (after: string | null) => Promise<TestSocket>, resumes: boolean): Promise<void> {
    const after = resumes ? this.cursor : null;
    const socket = await open(after);
    if (after !== null) await socket.next('resumed');
    this.owed.follow(false);
    this.owed.reconnect(after !== null);
    this.attach(socket, this.model.entries.length, after !== null);
  }

  /** Begins to resume and is cut off at once. Frames received until then count. */
  async flicker(open: (after: string | null) => Promise<TestSocket>): Promise<void> {
    const socket = await open(this.cursor);
    this.owed.follow(false);
    this.owed.reconnect(true);
    this.attach(socket, this.model.entries.length, true);
    this.drop();
  }

  async leave(): Promise<void> {
    const { socket } = this;
    await socket?.close();
    this.detach();
  }

  /** Terminates the socket without a close frame and without waiting for frames in flight. */
  drop(): void {
    this.socket?.ws.terminate();
    this.detach();
  }

  /** Checks that every expected event arrived, in order, and no other. @throws Error that shows both lists */
  async check(): Promise<void> {
    this.owed.follow(this.connected);
    // Everything is committed: a frame that has not arrived before the pong never will.
    await this.socket?.settled();
    this.take();
    if (this.matchEntries() === null) throw new Error(this.describeDifference());
  }

  private attach(socket: TestSocket, openedAt: number, replaying = false): void {
    this.replaying = replaying;
    this.socket = socket;
    this.openedAt = openedAt;
    this.taken = 0;
  }

  private detach(): void {
    this.owed.follow(true);
    this.take();
    this.socket = null;
    // Frames in flight may be lost.
    this.owed.drop(new Set(this.matchEntries(true) ?? []));
  }

  /** Ignores the events before the first connection. */
  private forget(): void {
    this.owed.follow(false);
    this.owed.reconnect(false);
  }

  private take(): void {
    const frames = this.socket?.frames.slice(this.taken) ?? [];
    this.taken += frames.length;
    for (const frame of frames) {
      this.cursor = cursorOf(frame) ?? this.cursor;
      if (frame.type === 'resumed') this.replaying = false;
      if (frame.type === 'sync.required') throw new Error(`unexpected sync.required: ${JSON.stringify(frame.data)}`);
      if (frame.id === undefined || frame.conversation_id !== this.conversationId) continue;
      if (this.person === 'visitor' && /secret/.test(JSON.stringify(frame))) {
        throw new Error(`the visitor received a private note: ${JSON.stringify(frame)}`);
      }
      const event = {
        id: frame.id,
        line: lineOf(frame, this.names, this.person),
        openedAt: this.openedAt,
        replayed: this.replaying,
      };
      this.assertNotRedacted(event);
      if (!this.ids.has(frame.id)) this.received.push(event);
      this.ids.add(frame.id);
    }
  }

  /** A client that connects after a message was unsent must not receive its text, not even in a replay. */
  private assertNotRedacted({ line, openedAt }: ReceivedEvent): void {
    const candidates = this.owed.list().filter(entry => entry.line === line && entry.scrubbed !== line);
    if (candidates.length > 0 && candidates.every(({ scrubbedAt }) => scrubbedAt < openedAt)) {
      throw new Error(`received an unsent text: ${line}`);
    }
  }

  /**
   * Matches the received events with the expected ones, in order. Returns the matched indexes, or null if a required
   * event is missing or an unexpected one arrived. Two events can have equal lines, so every alignment is tried, the
   * likeliest first.
   * A cursor may lie before the time it was issued, so events before the first connection can be replayed after later
   * ones.
   * @param cutOff true if events may be missing because the client did not wait for frames in flight
   */
  private matchEntries(cutOff = false): number[] | null {
    const owed = this.owed.list();
    const dead = new Set<string>();
    const before = new Set(owed.filter(({ must }) => !must).flatMap(({ line, scrubbed }) => [line, scrubbed]));
    const fit = (receivedFrom: number, owedFrom: number): number[] | null => {
      const [event, next] = [this.received[receivedFrom], owed[owedFrom]];
      const key = `${receivedFrom} ${owedFrom}`;
      if (dead.has(key)) return null;
      const late = event?.replayed === true && before.has(event.line);
      if (!next) return event ? (late ? fit(receivedFrom + 1, owedFrom) : null) : [];
      const alike = event && (event.line === next.line || event.line === next.scrubbed);
      const rest = alike ? fit(receivedFrom + 1, owedFrom + 1) : null;
      const needed = next.must && !cutOff;
      const found = rest
        ? [next.index, ...rest]
        : ((needed ? null : fit(receivedFrom, owedFrom + 1)) ?? (late ? fit(receivedFrom + 1, owedFrom) : null));
      if (!found) dead.add(key);
      return found;
    };
    return fit(0, 0);
  }

  private describeDifference(): string {
    const owed = this.owed.list().map(({ must, line }) => `${must ? '  ' : '? '}${line}`);
    const received = this.received.map(({ line }) => `  ${line}`);
    return [`the ${this.person} should have received:`, ...owed, 'and received:', ...received].join('\n');
  }
}

/** The cursor a client keeps: that of the last frame that carried one. */
function cursorOf({ type, cursor, data }: Frame): string | null {
  if (type === 'connected') return data.cursor as string;
  return type === 'resumed' ? (data.to as string) : (cursor ?? null);
}

/** Formats a frame as a line of the model. */
function lineOf({ type, data }: Frame, names: Names, person: Person): string {
  switch (type) {
    case 'conversation.created':
      return 'begun';
    case 'message.created':
      return messageLine(data.message, data.conversation, names);
    case 'message.updated':
      return `edited ${data.message.seq}: ${data.message.content}`;
    case 'message.deleted':
      return `unsent ${data.message.seq}${data.message.content === null ? '' : ' with its text'}`;
    case 'conversation.read':
      return `read by ${data.reader} up to ${data.last_read_seq}`;
    case 'conversation.updated':
      return changedLine(data, names, person);
    default:
      return `unexpected type: ${type}`;
  }
}

function messageLine(message: Json, { status, last_seq, unread }: Json, names: Names): string {
  const event = message.content_type === 'event';
  const words = event ? (message.metadata.event ?? null) : message.content;
  return (
    `${message.seq} ${event ? 'event' : 'said'} by ${names.get(message.sender_id) ?? 'bot'}` +
    `${message.private ? ' privately' : ''}: ${words} | ${status} last ${last_seq} ` +
    `unread ${unread.agents}/${unread.contact}`
  );
}

function changedLine({ changes, version }: Json, names: Names, person: Person): string {
  const assignee = changes.assignee_id ?? changes.assignee;
  const named = (value: Json) => names.get(person === 'visitor' ? (value?.name ?? null) : value);
  const parts = [
    ...(person === 'visitor' ? [] : [`v${version}`]),
    ...(changes.status ? [`status ${changes.status.from} → ${changes.status.to}`] : []),
    ...(assignee ? [`assignee ${named(assignee.from)} → ${named(assignee.to)}`] : []),
  ];
  return parts.join(' ');
}
