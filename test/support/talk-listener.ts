import type { Json } from './json.js';
import type { Frame, TestSocket } from './socket.js';
import type { Person, TalkModel } from './talk-model.js';
import { Owed } from './talk-model.js';

/** How frames name people: ids to those of the model. */
export type Names = ReadonlyMap<string | null, string>;

interface Heard {
  id: string;
  line: string;
  /** How much had happened when the socket that heard it was opened. */
  openedAt: number;
  /** Whether it was told as something missed. */
  replayed: boolean;
}

/** One client over many connections: what it has heard, repeats dropped by id, and the cursor it comes back with. */
export class TalkListener {
  cursor: string | null = null;
  private socket: TestSocket | null = null;
  private openedAt = 0;
  private taken = 0;
  private replaying = false;
  private readonly heard: Heard[] = [];
  private readonly ids = new Set<string>();
  private readonly owed: Owed;

  constructor(
    readonly person: Person,
    private readonly model: TalkModel,
    private readonly conversationId: string,
    private readonly names: Names,
    early: TestSocket | null,
  ) {
    this.owed = new Owed(model, person, 0);
    if (early) this.attach(early, 0);
    else this.forget();
  }

  get connected(): boolean {
    return this.socket !== null;
  }

  /** @param open opens its socket, behind the cursor if one is given */
  async connect(open: (after: string | null) => Promise<TestSocket>, resumes: boolean): Promise<void> {
    const after = resumes ? this.cursor : null;
    const socket = await open(after);
    if (after !== null) await socket.next('resumed');
    this.owed.follow(false);
    this.owed.comeBack(after !== null);
    this.attach(socket, this.model.entries.length, after !== null);
  }

  /** Begins to come back, and is cut off at once: what it was told until then counts as heard. */
  async flicker(open: (after: string | null) => Promise<TestSocket>): Promise<void> {
    const socket = await open(this.cursor);
    this.owed.follow(false);
    this.owed.comeBack(true);
    this.attach(socket, this.model.entries.length, true);
    this.drop();
  }

  async leave(): Promise<void> {
    const { socket } = this;
    await socket?.close();
    this.detach();
  }

  /** Without a word, and without waiting for what is on its way. */
  drop(): void {
    this.socket?.ws.terminate();
    this.detach();
  }

  /** Everything that it is owed, and nothing else, in order. @throws Error that shows both */
  async check(): Promise<void> {
    this.owed.follow(this.connected);
    // all is committed; what has not come after a pong does not come
    await this.socket?.settled();
    this.take();
    if (this.places() === null) throw new Error(this.difference());
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
    // what was on its way may be lost
    this.owed.drop(new Set(this.places(true) ?? []));
  }

  /** What happened before it first came is none of its business. */
  private forget(): void {
    this.owed.follow(false);
    this.owed.comeBack(false);
  }

  private take(): void {
    const frames = this.socket?.frames.slice(this.taken) ?? [];
    this.taken += frames.length;
    for (const frame of frames) {
      this.cursor = cursorOf(frame) ?? this.cursor;
      if (frame.type === 'resumed') this.replaying = false;
      if (frame.type === 'sync.required') throw new Error(`told to read anew: ${JSON.stringify(frame.data)}`);
      if (frame.id === undefined || frame.conversation_id !== this.conversationId) continue;
      if (this.person === 'visitor' && /secret/.test(JSON.stringify(frame))) {
        throw new Error(`the visitor heard of a note: ${JSON.stringify(frame)}`);
      }
      const heard = {
        id: frame.id,
        line: lineOf(frame, this.names, this.person),
        openedAt: this.openedAt,
        replayed: this.replaying,
      };
      this.refuseUnsaid(heard);
      if (!this.ids.has(frame.id)) this.heard.push(heard);
      this.ids.add(frame.id);
    }
  }

  /** Who comes after words were taken back is not told them, not even as a repeat. */
  private refuseUnsaid({ line, openedAt }: Heard): void {
    const places = this.owed.places().filter(place => place.line === line && place.scrubbed !== line);
    if (places.length > 0 && places.every(({ scrubbedAt }) => scrubbedAt < openedAt)) {
      throw new Error(`told what was taken back: ${line}`);
    }
  }

  /**
   * The events that stand behind what was heard, when all that must be among them is, in order; else null. Two events
   * can read alike, so every way to lay the one beside the other is tried, the obvious first.
   * A cursor may lie before the time at which it was given, so what had happened before a client first came can be told
   * to it as missed when it comes again, behind what it has heard since.
   * @param cutOff whether some may be missing, because the client did not wait for what was on its way
   */
  private places(cutOff = false): number[] | null {
    const owed = this.owed.places();
    const dead = new Set<string>();
    const before = new Set(owed.filter(({ must }) => !must).flatMap(({ line, scrubbed }) => [line, scrubbed]));
    const fit = (heardFrom: number, owedFrom: number): number[] | null => {
      const [heard, next] = [this.heard[heardFrom], owed[owedFrom]];
      const key = `${heardFrom} ${owedFrom}`;
      if (dead.has(key)) return null;
      const late = heard?.replayed === true && before.has(heard.line);
      if (!next) return heard ? (late ? fit(heardFrom + 1, owedFrom) : null) : [];
      const alike = heard && (heard.line === next.line || heard.line === next.scrubbed);
      const rest = alike ? fit(heardFrom + 1, owedFrom + 1) : null;
      const needed = next.must && !cutOff;
      const found = rest
        ? [next.place, ...rest]
        : ((needed ? null : fit(heardFrom, owedFrom + 1)) ?? (late ? fit(heardFrom + 1, owedFrom) : null));
      if (!found) dead.add(key);
      return found;
    };
    return fit(0, 0);
  }

  private difference(): string {
    const owed = this.owed.places().map(({ must, line }) => `${must ? '  ' : '? '}${line}`);
    const heard = this.heard.map(({ line }) => `  ${line}`);
    return [`the ${this.person} was to hear:`, ...owed, 'and heard:', ...heard].join('\n');
  }
}

/** What a client keeps: the cursor of whatever it was told last. */
function cursorOf({ type, cursor, data }: Frame): string | null {
  if (type === 'connected') return data.cursor as string;
  return type === 'resumed' ? (data.to as string) : (cursor ?? null);
}

/** A frame in the words of the model. */
function lineOf({ type, data }: Frame, names: Names, person: Person): string {
  switch (type) {
    case 'conversation.created':
      return 'begun';
    case 'message.created':
      return saidLine(data.message, data.conversation, names);
    case 'message.updated':
      return `edited ${data.message.seq}: ${data.message.content}`;
    case 'message.deleted':
      return `unsent ${data.message.seq}${data.message.content === null ? '' : ' with its words'}`;
    case 'conversation.read':
      return `read by ${data.reader} up to ${data.last_read_seq}`;
    case 'conversation.updated':
      return changedLine(data, names, person);
    default:
      return `unheard of: ${type}`;
  }
}

function saidLine(message: Json, { status, last_seq, unread }: Json, names: Names): string {
  const event = message.content_type === 'event';
  const words = event ? message.metadata.event : message.content;
  return (
    `${message.seq} ${event ? 'event' : 'said'} by ${names.get(message.sender_id) ?? 'bot'}` +
    `${message.private ? ' in private' : ''}: ${words} | ${status} last ${last_seq} ` +
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
