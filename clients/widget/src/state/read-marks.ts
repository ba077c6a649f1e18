import type { ChatController } from '../chat.js';

const DELAY_MS = 400;

/** What the visitor has read. The service learns it also after a loss of the network. */
export class ReadMarks {
  /** `seq` by conversation, until the service knows it. */
  private readonly pending = new Map<string, number>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isSending = false;

  constructor(private readonly chat: ChatController) {}

  /** The visitor sees the newest message. */
  schedule(): void {
    const { chat } = this;
    const view = chat.thread?.view;
    if (!view?.unread.contact || !chat.isOpen || document.visibilityState !== 'visible') return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      chat.state.markRead(view.id);
      this.pending.set(view.id, view.last_seq);
      void this.flush();
      chat.changed();
    }, DELAY_MS);
  }

  /** Sends what waits. What fails waits for the next connection, unless the service refuses it. */
  async flush(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    try {
      for (let next; (next = [...this.pending][0]); ) {
        const [id, seq] = next;
        const client = await this.chat.connection.client();
        await client.read(id, seq).catch((error: { status?: number }) => {
          if (!error.status || error.status >= 429) throw error;
        });
        if (this.pending.get(id) === seq) this.pending.delete(id);
      }
    } catch {
      // The next connection sends it.
    } finally {
      this.isSending = false;
    }
  }

  /** Forgets a former visitor. */
  clear(): void {
    clearTimeout(this.timer);
    this.pending.clear();
  }
}
