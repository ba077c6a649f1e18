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
  /** The message that has to stay in view until the timer ends. */
  private key: string | undefined;
  private isSending = false;

  constructor(private readonly options: ReadMarksOptions) {}

  /** The newest message may be in view now. A page that is drawn again does not begin the wait again. */
  schedule(): void {
    const key = keyOf(this.options.inView());
    if (key === this.key) return;
    clearTimeout(this.timer);
    this.key = key;
    this.timer = setTimeout(() => {
      this.key = undefined;
      // a later one may not be drawn yet, or the panel may be closed
      const newest = this.options.inView();
      if (!newest || keyOf(newest) !== key) return;
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

function keyOf(newest: Newest | undefined): string | undefined {
  return newest && newest.id + newest.seq;
}
