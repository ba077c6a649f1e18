import type { AgentFrames, ConversationView, LastMessageView, MessageView } from '@support-chat/sdk';
import type { EventFrame } from './frame-log.js';
import { previewOf, revisionOf, unreadSideOf, type Side } from './message-facts.js';

/** A conversation without its contact, which is stored apart. */
export type ConversationFields = Omit<ConversationView, 'contact'>;

/** Counts the unread messages of a side after a `seq`; undefined if not all of them are known. */
export type UnreadCounter = (side: Side, afterSeq: number) => number | undefined;

type ProgressOf<F> = F extends { data: { conversation: infer P } } ? P : never;
type Progress = ProgressOf<AgentFrames['message.created']>;
type Changes = AgentFrames['conversation.updated']['data']['changes'];

const READ_FIELDS = { agents: 'agent_last_read_seq', contact: 'contact_last_read_seq' } as const;
/** Fields that follow messages and reads alone. */
const MOVED = new Set(['last_seq', 'last_message', 'last_activity_at', 'unread', ...Object.values(READ_FIELDS)]);

/**
 * A conversation as read by REST, with the frames since. Fields follow `version`; what messages move follows their `seq`;
 * read marks only rise. It is doubtful when frames were missing or late, so that it may differ from the service until
 * it is read again.
 */
export class Conversation {
  private current: ConversationFields;
  private doubtful = false;
  /** Versions that set a field after the base was read. */
  private readonly fieldVersions = new Map<string, number>();
  /** The last message that counts as unread for a side, or a `seq` after it. */
  private readonly lastCounted: Record<Side, number>;
  private previewRevision = '';
  private hasContactWritten: boolean;
  /** Time up to which renamed tags are contained in `fields.tags`. */
  tagsAt: string;

  /**
   * @param base as a response, or the frame of its creation, describes it
   * @param newestAt time of the newest frame before the request
   * @param tagsAt time up to which renamed tags are contained
   */
  constructor(
    private readonly base: ConversationFields,
    private newestAt: string,
    tagsAt: string,
  ) {
    this.current = base;
    this.tagsAt = tagsAt > base.updated_at ? tagsAt : base.updated_at;
    this.lastCounted = {
      agents: base.unread.agents === 0 ? base.agent_last_read_seq : base.last_seq,
      contact: base.unread.contact === 0 ? base.contact_last_read_seq : base.last_seq,
    };
    this.hasContactWritten = base.context !== null || base.waiting_since !== null || base.unread.agents > 0;
  }

  get fields(): ConversationFields {
    return this.current;
  }

  /** True if only a read can show the present state. */
  get isDoubtful(): boolean {
    return this.doubtful;
  }

  /** Makes the conversation doubtful. */
  doubt(): void {
    this.doubtful = true;
  }

  /** True if the state is that of an earlier time than the other's. All its counters only rise. */
  isOlderThan({ current: other }: Conversation): boolean {
    const { current } = this;
    return (
      current.version < other.version ||
      current.last_seq < other.last_seq ||
      current.agent_last_read_seq < other.agent_last_read_seq ||
      current.contact_last_read_seq < other.contact_last_read_seq
    );
  }

  /** Applies a frame of this conversation. One that the base contains, or that was applied before, changes nothing. */
  apply(frame: EventFrame, count: UnreadCounter): void {
    const before = this.current;
    const isLate = this.isLate(frame.timestamp);
    switch (frame.type) {
      case 'conversation.updated':
        this.update(frame.data.changes, frame.data.version, frame.timestamp ?? '');
        break;
      case 'conversation.read':
        this.read(frame.data.reader, frame.data.last_read_seq, count);
        break;
      case 'message.created':
        this.addMessage(frame.data.message, frame.data.conversation, isLate);
        break;
      case 'message.updated':
        this.updatePreview(frame.data.message);
        break;
      case 'message.deleted':
        this.updatePreview(frame.data.message);
        this.unsend(frame.data.message);
        break;
      default:
    }
    if (this.current === before) return;
    if (isLate) this.doubt();
    const updatedAt = frame.type === 'message.created' ? frame.data.message.created_at : frame.timestamp;
    const isUpdate = frame.type === 'message.created' || frame.type === 'conversation.updated';
    if (isUpdate && updatedAt && updatedAt > this.current.updated_at) this.set({ updated_at: updatedAt });
  }

  /** Frames of a conversation are late only across a resume; their order with others is then unknown. */
  private isLate(timestamp = ''): boolean {
    if (timestamp < this.newestAt) return true;
    this.newestAt = timestamp;
    return false;
  }

  private set(fields: Partial<ConversationFields>): void {
    this.current = { ...this.current, ...fields };
  }

  private update(changes: Changes, version: number, timestamp: string): void {
    if (version <= this.base.version) return;
    if (version !== this.current.version + 1) this.doubt();
    const fields: Record<string, unknown> = {};
    for (const [field, { to }] of Object.entries(changes)) {
      if (MOVED.has(field)) this.doubt();
      else if (version > (this.fieldVersions.get(field) ?? 0)) {
        this.fieldVersions.set(field, version);
        fields[field] = to;
        if (field === 'tags') this.tagsAt = timestamp;
      }
    }
    this.set({ ...(fields as Partial<ConversationFields>), version: Math.max(version, this.current.version) });
  }

  private addMessage(message: MessageView, progress: Progress, isLate: boolean): void {
    const { seq } = message;
    if (seq <= this.current.last_seq) {
      if (seq > this.base.last_seq && isLate) this.doubt();
      return;
    }
    const isNext = seq === this.current.last_seq + 1;
    if (!isNext) this.doubt();
    this.set({ last_seq: seq, ...this.movedBy(message) });
    const { unread, status, last_activity_at } = progress;
    const isAsCounted = unread.agents === this.current.unread.agents && unread.contact === this.current.unread.contact;
    if (!isAsCounted) {
      this.doubt();
      this.set({ unread });
    }
    if (last_activity_at > this.current.last_activity_at) this.set({ last_activity_at });
    if (status !== this.current.status) {
      this.doubt();
      if (!isLate) this.set({ status });
    }
  }

  /** Mirrors what the service writes with a message. Entries of the timeline move `last_seq` alone. */
  private movedBy(message: MessageView): Partial<ConversationFields> {
    if (message.content_type === 'event') return {};
    this.previewRevision = revisionOf(message);
    const moved = { last_activity_at: message.created_at, last_message: previewOf(message) };
    if (message.private) return moved;
    const side = unreadSideOf(message);
    const unread = side ? this.unreadWith(side, message.seq) : this.current.unread;
    if (message.sender_type === 'contact') {
      this.hasContactWritten = true;
      const { control, waiting_since: since } = this.current;
      return { ...moved, unread, waiting_since: control === 'bot' ? null : (since ?? message.created_at) };
    }
    const answered =
      message.metadata.auto === undefined || message.sender_type !== 'bot' ? { waiting_since: null } : {};
    if (message.sender_type === 'bot') return { ...moved, unread, ...answered };
    return { ...moved, ...answered, ...this.answeredByAgent(message, unread.contact) };
  }

  /** An agent who answers has read everything before. */
  private answeredByAgent({ seq, created_at }: MessageView, contact: number): Partial<ConversationFields> {
    const read = { agent_last_read_seq: seq, unread: { agents: 0, contact } };
    if (this.current.first_response_at !== null) return read;
    if (this.hasContactWritten) return { ...read, first_response_at: created_at };
    this.doubt();
    return read;
  }

  private unreadWith(side: Side, seq: number): ConversationFields['unread'] {
    const { unread } = this.current;
    this.lastCounted[side] = seq;
    if (seq <= this.current[READ_FIELDS[side]]) return unread;
    return { ...unread, [side]: unread[side] + 1 };
  }

  private read(side: Side, seq: number, count: UnreadCounter): void {
    const field = READ_FIELDS[side];
    if (seq <= this.current[field]) return;
    const { unread, last_seq } = this.current;
    const known = seq >= this.lastCounted[side] && seq <= last_seq ? 0 : count(side, seq);
    if (known === undefined) this.doubt();
    const left = known ?? Math.min(unread[side], Math.max(0, last_seq - seq));
    this.set({ [field]: seq, unread: { ...unread, [side]: left } });
  }

  private updatePreview(message: MessageView): void {
    const { last_message: shown } = this.current;
    if (shown?.id !== message.id || revisionOf(message) < this.previewRevision) return;
    this.previewRevision = revisionOf(message);
    this.set({ last_message: { ...shown, ...previewOf(message) } satisfies LastMessageView });
  }

  /** The base may already leave out the unsent message, so a count that contained it is read again. */
  private unsend(message: MessageView): void {
    const side = unreadSideOf(message);
    if (!side || message.seq <= this.current[READ_FIELDS[side]]) return;
    this.doubt();
    const { unread } = this.current;
    this.set({ unread: { ...unread, [side]: Math.max(0, unread[side] - 1) } });
  }
}
