import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import type { FanoutListener } from './fanout.js';
import { Fanout } from './fanout.js';

interface Subscription {
  isBody: (body: unknown) => boolean;
  listener: FanoutListener<never>;
}

/** Fanout for a single instance. Delivers to the listeners of this process in the next microtask, in order. */
export class MemoryFanout extends Fanout {
  readonly kind = 'memory';
  private readonly subscriptions = new Map<string, Set<Subscription>>();
  private readonly logger = new Logger(MemoryFanout.name);
  private closed = false;
  /** Runs listeners outside the publisher's request, so that their timers and log lines do not belong to it. */
  private readonly runOutside = AsyncLocalStorage.snapshot();

  publish(subject: string, body: unknown): void {
    queueMicrotask(() =>
      this.runOutside(() => {
        for (const subscription of this.subscriptionsTo(subject)) {
          this.deliver(subscription, body, true, error => this.logger.error(error));
        }
      }),
    );
  }

  /**
   * Delivers a message that another process has published.
   * @param onRejected called for each subscription whose check failed or whose listener threw
   */
  receive(subject: string, body: unknown, onRejected: () => void): void {
    for (const subscription of this.subscriptionsTo(subject)) {
      if (subscription.isBody(body)) queueMicrotask(() => this.deliver(subscription, body, false, onRejected));
      else onRejected();
    }
  }

  subscribe<Body>(
    subject: string,
    isBody: (body: unknown) => body is Body,
    listener: FanoutListener<Body>,
  ): () => void {
    const subscription: Subscription = { isBody, listener };
    const subscriptions = this.subscriptions.get(subject) ?? new Set();
    this.subscriptions.set(subject, subscriptions.add(subscription));
    return () => {
      subscriptions.delete(subscription);
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

  private subscriptionsTo(subject: string): Subscription[] {
    return this.closed ? [] : [...(this.subscriptions.get(subject) ?? [])];
  }

  private deliver({ listener }: Subscription, body: unknown, isOwn: boolean, onError: (error: unknown) => void): void {
    try {
      listener(body as never, isOwn);
    } catch (error) {
      onError(error);
    }
  }
}
