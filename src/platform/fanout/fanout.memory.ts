import { Logger } from '@nestjs/common';
import type { FanoutListener } from './fanout.js';
import { Fanout } from './fanout.js';

/** The twin for one instance: everyone who listens is in this process. Delivers in the next microtask, in order. */
export class MemoryFanout extends Fanout {
  readonly kind = 'memory';
  private readonly listeners = new Map<string, Set<FanoutListener>>();
  private readonly logger = new Logger(MemoryFanout.name);
  private closed = false;

  publish(subject: string, body: unknown): void {
    queueMicrotask(() => {
      if (this.closed) return;
      for (const listener of [...(this.listeners.get(subject) ?? [])]) {
        try {
          listener(body);
        } catch (error) {
          this.logger.error(error);
        }
      }
    });
  }

  subscribe(subject: string, listener: FanoutListener): () => void {
    const own: FanoutListener = body => listener(body);
    const listeners = this.listeners.get(subject) ?? new Set();
    this.listeners.set(subject, listeners.add(own));
    return () => {
      listeners.delete(own);
    };
  }

  healthy(): boolean {
    return true;
  }

  close(): Promise<void> {
    this.closed = true;
    this.listeners.clear();
    return Promise.resolve();
  }
}
