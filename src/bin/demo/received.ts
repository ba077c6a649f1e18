interface Waiter<T> {
  conversationId: string;
  matches(item: T): boolean;
  resolve(item: T): void;
  fail(reason: string): void;
}

/** Everything of one kind that a socket has received, by conversation, until the conversation is forgotten. */
export class Received<T extends { id: string; conversation_id: string }> {
  private readonly conversations = new Map<string, T[]>();
  private readonly waiters = new Set<Waiter<T>>();
  /** Why nothing more can come. */
  private failure: string | undefined;

  add(item: T): void {
    this.list(item.conversation_id).push(item);
    for (const waiter of this.waiters) {
      if (waiter.conversationId === item.conversation_id && waiter.matches(item)) waiter.resolve(item);
    }
  }

  /** Fails everybody who waits, now and later. */
  end(reason: string): void {
    this.failure = reason;
    for (const waiter of this.waiters) waiter.fail(reason);
  }

  /**
   * Returns the first match, which may have come already.
   * @param missing what is missing if it does not come, such as `no message.created`
   * @throws Error when it does not come in time, or the socket was closed
   */
  async waitFor(
    conversationId: string,
    matches: (item: T) => boolean,
    missing: string,
    patienceMs: number,
  ): Promise<T> {
    const known = this.list(conversationId).find(matches);
    if (known) return known;
    if (this.failure !== undefined) throw new Error(this.failure);
    let waiter: Waiter<T> | undefined;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        const fail = (reason: string): void => reject(new Error(reason));
        waiter = { conversationId, matches, resolve, fail };
        this.waiters.add(waiter);
        timer = setTimeout(() => fail(`${missing} within ${patienceMs / 1000} s`), patienceMs);
      });
    } finally {
      clearTimeout(timer);
      if (waiter) this.waiters.delete(waiter);
    }
  }

  /** Returns what the conversation has received so far. */
  list(conversationId: string): T[] {
    const items = this.conversations.get(conversationId) ?? [];
    this.conversations.set(conversationId, items);
    return items;
  }

  /** Returns the ids of items that came more than once. */
  findRepeated(conversationId: string): string[] {
    const ids = this.list(conversationId).map(({ id }) => id);
    return [...new Set(ids.filter((id, index) => ids.indexOf(id) < index))];
  }

  forget(conversationId: string): void {
    this.conversations.delete(conversationId);
  }
}
