import type { VisitorConversationView, VisitorMessageView } from '@support-chat/sdk';

/** A conversation, and those of its messages that are known. */
export class Thread {
  /** In order of `seq`. Gaps are legal. */
  messages: VisitorMessageView[] = [];
  /** Cursor to older messages; null at the beginning, undefined until messages have been read. */
  older: string | null | undefined;
  /** Agents have read up to this `seq`. */
  seenSeq = 0;
  /** The latest message that a frame has brought. */
  receivedSeq = 0;
  /** Counter of the latest change by a frame; see `ChatState.mark`. */
  changedAt = 0;
  private readonly fieldTimes = new Map<string, string>();

  constructor(public view: VisitorConversationView) {
    this.learnSeen(view);
  }

  /** Messages of people and bots of the company. */
  get received(): VisitorMessageView[] {
    return this.messages.filter(
      ({ sender_type, content_type }) => sender_type !== 'contact' && content_type !== 'event',
    );
  }

  /** Takes a response. One that is not current counts only if it has a later message than all frames so far. */
  replace(view: VisitorConversationView, isCurrent: boolean): void {
    if (view.last_seq < this.view.last_seq + (isCurrent ? 0 : 1)) return;
    this.view = view;
    this.learnSeen(view);
  }

  /** Sets fields from a frame. Frames of one field may arrive in any order after a resume. */
  patch(fields: Partial<VisitorConversationView>, timestamp: string): void {
    for (const [field, value] of Object.entries(fields)) {
      if ((this.fieldTimes.get(field) ?? '') > timestamp) continue;
      this.fieldTimes.set(field, timestamp);
      this.view = { ...this.view, [field]: value };
    }
  }

  /** Adds a message, or replaces an older version of it. */
  merge(message: VisitorMessageView): void {
    const known = this.messages.find(({ seq }) => seq === message.seq);
    if (known && versionOf(message) < versionOf(known)) return;
    const others = this.messages.filter(({ seq }) => seq !== message.seq);
    const index = others.findIndex(({ seq }) => seq > message.seq);
    others.splice(index < 0 ? others.length : index, 0, message);
    this.messages = others;
  }

  private learnSeen(view: VisitorConversationView): void {
    if (view.unread.agents === 0) this.seenSeq = Math.max(this.seenSeq, view.last_seq);
  }
}

/** Times have a fixed width, so they compare as text. A message that is unsent cannot return. */
function versionOf(message: VisitorMessageView): string {
  return message.deleted_at ? `~${message.deleted_at}` : (message.edited_at ?? message.created_at);
}
