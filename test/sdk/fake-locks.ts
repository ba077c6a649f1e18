type Work = (lock: object) => Promise<unknown>;

interface LockRequest {
  owner: object;
  work: Work;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface LockOptions {
  steal?: boolean;
  signal?: AbortSignal;
}

/**
 * Web Locks of one origin, as the standard describes them: one owner per name at a time, the others wait in order, a
 * steal takes the lock away, and the end of a tab releases what it has and asks for.
 */
export class FakeLocks {
  private readonly owners = new Map<string, LockRequest>();
  private readonly queues = new Map<string, LockRequest[]>();

  /** The `navigator.locks` of one tab. */
  ofTab(tab: object): { request: (name: string, options: LockOptions, work: Work) => Promise<unknown> } {
    return {
      request: (name, { steal = false, signal }, work) =>
        new Promise((resolve, reject) => {
          const request = { owner: tab, work, resolve, reject };
          if (steal) return this.steal(name, request);
          this.queueOf(name).push(request);
          signal?.addEventListener('abort', () => {
            if (this.remove(name, request)) reject(signal.reason as Error);
          });
          this.grantNext(name);
        }),
    };
  }

  /** The tab that has the lock. */
  ownerOf(name: string): object | undefined {
    return this.owners.get(name)?.owner;
  }

  /** Releases everything that the tab has and asks for. Its promises never settle. */
  endTab(tab: object): void {
    for (const [name, queue] of this.queues) {
      this.queues.set(
        name,
        queue.filter(({ owner }) => owner !== tab),
      );
    }
    for (const [name, { owner }] of this.owners) if (owner === tab) this.release(name);
  }

  private steal(name: string, request: LockRequest): void {
    this.owners
      .get(name)
      ?.reject(new DOMException('Lock broken by another request with the steal option', 'AbortError'));
    this.run(name, request);
  }

  private grantNext(name: string): void {
    if (this.owners.has(name)) return;
    const next = this.queueOf(name).shift();
    if (next) this.run(name, next);
  }

  private run(name: string, request: LockRequest): void {
    this.owners.set(name, request);
    // as in a browser, the work begins in a later task
    setImmediate(() => {
      if (this.owners.get(name) !== request) return;
      const done = new Promise(resolve => resolve(request.work({ name })));
      done.then(request.resolve, request.reject).finally(() => {
        if (this.owners.get(name) === request) this.release(name);
      });
    });
  }

  private release(name: string): void {
    this.owners.delete(name);
    this.grantNext(name);
  }

  private remove(name: string, request: LockRequest): boolean {
    const queue = this.queueOf(name);
    const index = queue.indexOf(request);
    if (index >= 0) queue.splice(index, 1);
    return index >= 0;
  }

  private queueOf(name: string): LockRequest[] {
    const queue = this.queues.get(name) ?? [];
    this.queues.set(name, queue);
    return queue;
  }
}
