/** Time (ms) for which a message must be in view. */
const DELAY_MS = 400;

/** The newest message of a conversation. */
interface Newest {
  id: string;
  seq: number;
}

export interface ReadMarksOptions {
  /** @returns the message that the visitor sees and has not read before */
  inView(): Newest | undefined;
  /** Marks the conversation as read here. */
  mark(id: string): void;
  /** Reports it to the service. */
  send(newest: Newest): Promise<unknown>;
}

/** Reports how far the visitor has read, also after a loss of the network. */
export class ReadMarks {
  /** `seq` by conversation, until the service knows it. */
  private readonly pending = new Map<string, number>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isSending = false;

  constructor(private readonly options: ReadMarksOptions) {}

  /** The newest message may be in view now. */
  schedule(): void {
    clearTimeout(this.timer);
    const newest = this.options.inView();
    if (!newest) return;
    this.timer = setTimeout(() => {
      // a later one may not be drawn yet, or the panel may be closed
      if (this.options.inView()?.seq !== newest.seq) return;
      this.pending.set(newest.id, newest.seq);
      void this.flush();
      this.options.mark(newest.id);
    }, DELAY_MS);
  }

  /** Sends what waits. What fails waits for the next connection, unless the service refuses it. */
  async flush(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    try {
      for (let next; (next = [...this.pending][0]);) {
        const [id, seq] = next;
        await this.options.send({ id, seq }).catch((error: { status?: number }) => {
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
