import type { DraftState } from './bot-notice.js';

/** Milliseconds between two frames of a draft: at most 5 a second, and 2 of a long one. */
const INTERVAL_MS = 200;
const LONG_INTERVAL_MS = 500;
const LONG_CHARS = 4_000;

/** Publishes a message that is being written, with all its text so far. What comes within an interval is one frame. */
export class DraftStream {
  text = '';
  private publishedAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly id: string,
    private readonly publish: (text: string, state: DraftState) => void,
  ) {}

  append(piece: string): void {
    this.text += piece;
    if (this.timer) return;
    const interval = this.text.length > LONG_CHARS ? LONG_INTERVAL_MS : INTERVAL_MS;
    const pause = this.publishedAt + interval - performance.now();
    if (pause <= 0) this.publishNow();
    else this.timer = setTimeout(() => this.publishNow(), pause).unref();
  }

  /** Publishes the last frame. */
  end(state: Exclude<DraftState, 'streaming'>): void {
    clearTimeout(this.timer);
    this.publish(this.text, state);
  }

  private publishNow(): void {
    this.timer = undefined;
    this.publishedAt = performance.now();
    this.publish(this.text, 'streaming');
  }
}
