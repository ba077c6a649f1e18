import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import type { FanoutListener } from './fanout.js';
import { Fanout } from './fanout.js';

interface Subscription {
  isBody: (body: unknown) => boolean;
  listener: FanoutListener<never>;
}

/** The twin for one instance: everyone who listens is in this process. Delivers in the next microtask, in order. */
export class MemoryFanout extends Fanout {
  readonly kind = 'memory';
  private readonly subscriptions = new Map<string, Set<Subscription>>();
  private readonly logger = new Logger(MemoryFanout.name);
  private closed = false;
  /** A listener's timers and log lines belong to no publisher's request. */
  private readonly outside = AsyncLocalStorage.snapshot();

  publish(subject: string, body: unknown): void {
    queueMicrotask(() =>
      this.outside(() => {
        for (const subscription of this.of(subject)) {
          this.deliver(subscription, body, error => this.logger.error(error));
        }
      }),
    );
  }

  /**
   * The same for what another process has published.
   * @param refuse called for each subscription that does not take it: its check failed, or its listener threw
   */
  receive(subject: string, body: unknown, refuse: () => void): void {
    for (const subscription of this.of(subject)) {
      if (subscription.isBody(body)) queueMicrotask(() => this.deliver(subscription, body, refuse));
      else refuse();
    }
  }

  subscribe<Body>(
    subject: string,
    isBody: (body: unknown) => body is Body,
    listener: FanoutListener<Body>,
  ): () => void {
    const own: Subscription = { isBody, listener };
    const subscriptions = this.subscriptions.get(subject) ?? new Set();
    this.subscriptions.set(subject, subscriptions.add(own));
    return () => {
      subscriptions.delete(own);
    };
  }

  healthy(): boolean {
    return true;
  }

  close(): Promise<void> {
    this.closed = true;
    this.subscriptions.clear();
    return Promise.resolve();
  }

  private of(subject: string): Subscription[] {
    return this.closed ? [] : [...(this.subscriptions.get(subject) ?? [])];
  }

  private deliver({ listener }: Subscription, body: unknown, fail: (error: unknown) => void): void {
    try {
      listener(body as never);
    } catch (error) {
      fail(error);
    }
  }
}
