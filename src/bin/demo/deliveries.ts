import type { AgentSocket, MessageView, VisitorSocket } from '@support-chat/sdk';

interface Delivery {
  message: MessageView;
  /** How many frames carried the message. */
  count: number;
}

interface Waiter {
  resolve(delivery: Delivery): void;
  fail(reason: string): void;
}

/** Records every `message.created` of one side's socket, until the conversation is forgotten. */
export class Deliveries {
  private readonly conversations = new Map<string, Map<string, Delivery>>();
  private readonly waiters = new Map<string, Waiter>();
  /** Why no more frames can come. */
  private failure: string | undefined;

  /** @param patienceMs time after which a frame counts as missing */
  constructor(
    socket: AgentSocket | VisitorSocket,
    private readonly patienceMs: number,
  ) {
    // the two socket types differ only in their view of a conversation, which is not used here
    const source = socket as VisitorSocket;
    source.on('message.created', ({ data }) => this.recordDelivery(data.message));
    source.on('closed', ({ code, reason, willReconnect }) => {
      if (!willReconnect) this.failAll(`the socket was closed: ${code} ${reason}`);
    });
  }

  /**
   * Waits for the frame of a message and returns the message as the frame shows it.
   * @throws Error when the frame does not arrive in time, or the socket was closed
   */
  async waitFor(conversationId: string, messageId: string): Promise<MessageView> {
    return (this.deliveriesIn(conversationId).get(messageId) ?? (await this.waitForFrame(messageId))).message;
  }

  /** Returns the ids of messages that were delivered more than once. */
  findRepeated(conversationId: string): string[] {
    const deliveries = [...this.deliveriesIn(conversationId)];
    return deliveries.filter(([, { count }]) => count > 1).map(([id]) => id);
  }

  forget(conversationId: string): void {
    this.conversations.delete(conversationId);
  }

  private recordDelivery(message: MessageView): void {
    const deliveries = this.deliveriesIn(message.conversation_id);
    const delivery = deliveries.get(message.id) ?? { message, count: 0 };
    delivery.count += 1;
    deliveries.set(message.id, delivery);
    this.waiters.get(message.id)?.resolve(delivery);
  }

  private deliveriesIn(conversationId: string): Map<string, Delivery> {
    const deliveries = this.conversations.get(conversationId) ?? new Map<string, Delivery>();
    this.conversations.set(conversationId, deliveries);
    return deliveries;
  }

  private async waitForFrame(messageId: string): Promise<Delivery> {
    if (this.failure !== undefined) throw new Error(this.failure);
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Delivery>((resolve, reject) => {
        const fail = (reason: string): void => reject(new Error(reason));
        this.waiters.set(messageId, { resolve, fail });
        timer = setTimeout(() => fail(`no message.created within ${this.patienceMs / 1000} s`), this.patienceMs);
      });
    } finally {
      clearTimeout(timer);
      this.waiters.delete(messageId);
    }
  }

  private failAll(reason: string): void {
    this.failure = reason;
    for (const { fail } of this.waiters.values()) fail(reason);
  }
}
