import { signal, type ReadonlySignal } from '@preact/signals';
import type { AgentClient, ConversationCountsView } from '@support-chat/sdk';
import type { AgentFrame } from '../store/frame-log.js';

/** Frames come in bursts; each reading costs two requests. */
const REREAD_AFTER_MS = 1_000;

const MOVING = [
  'conversation.created',
  'conversation.updated',
  'conversation.read',
  'message.created',
  'contact.deleted',
  'notification.created',
  'notification.read',
];

/** Numbers of conversations in the views, as the service counts them. They are read again after changes. */
export class Counts {
  private readonly builtIn = signal<ConversationCountsView | undefined>(undefined);
  private readonly saved = signal<ReadonlyMap<string, number>>(new Map());
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isReading = false;
  private isOutdated = false;

  constructor(private readonly agent: AgentClient) {}

  /** Undefined until they were read. */
  get ofInbox(): ReadonlySignal<ConversationCountsView | undefined> {
    return this.builtIn;
  }

  /** Counts of saved views by id; each stops at 100. */
  get ofViews(): ReadonlySignal<ReadonlyMap<string, number>> {
    return this.saved;
  }

  receive({ type }: AgentFrame): void {
    if (MOVING.includes(type) || type.startsWith('view.')) this.requireRead();
  }

  /** Reads them soon, once for all calls until then. */
  requireRead(afterMs = REREAD_AFTER_MS): void {
    this.isOutdated = true;
    this.timer ??= setTimeout(() => void this.read(), afterMs);
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private async read(): Promise<void> {
    this.timer = undefined;
    if (this.isReading) return;
    this.isReading = true;
    this.isOutdated = false;
    try {
      const [counts, views] = await Promise.all([this.agent.conversations.counts(), this.agent.views.counts()]);
      this.builtIn.value = counts;
      this.saved.value = new Map(views.items.flatMap(({ id, count }) => (count === null ? [] : [[id, count]])));
    } catch {
      // the old numbers stay; the next change or connection reads them again
    } finally {
      this.isReading = false;
    }
    if (this.isOutdated) this.requireRead();
  }
}
