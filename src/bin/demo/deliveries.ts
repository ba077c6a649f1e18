import type { AgentSocket, MessageView, VisitorSocket } from '@support-chat/sdk';

interface Arrival {
  message: MessageView;
  times: number;
}

/** What one side's socket has told it: every `message.created`, kept until its conversation is over. */
export class Deliveries {
  private readonly conversations = new Map<string, Map<string, Arrival>>();
  private readonly waiting = new Map<string, { resolve: (arrival: Arrival) => void; fail: (why: string) => void }>();
  private broken: string | undefined;

  /** @param patienceMs until a frame counts as missing */
  constructor(
    socket: AgentSocket | VisitorSocket,
    private readonly patienceMs: number,
  ) {
    // The two kinds of socket differ in how they see a conversation, which nobody here looks at.
    const listening = socket as VisitorSocket;
    listening.on('message.created', ({ data }) => this.arrived(data.message));
    listening.on('closed', ({ code, reason, willReconnect }) => {
      if (!willReconnect) this.breakOff(`the socket has ended: ${code} ${reason}`);
    });
  }

  /**
   * The message as the frame showed it.
   * @throws Error when it does not come in time, or cannot come any more
   */
  async waitFor(conversationId: string, messageId: string): Promise<MessageView> {
    return (this.known(conversationId).get(messageId) ?? (await this.next(messageId))).message;
  }

  /** Ids of messages that were told more than once. */
  findRepeated(conversationId: string): string[] {
    const arrivals = [...this.known(conversationId)];
    return arrivals.filter(([, { times }]) => times > 1).map(([id]) => id);
  }

  forget(conversationId: string): void {
    this.conversations.delete(conversationId);
  }

  private arrived(message: MessageView): void {
    const known = this.known(message.conversation_id);
    const arrival = known.get(message.id) ?? { message, times: 0 };
    arrival.times += 1;
    known.set(message.id, arrival);
    this.waiting.get(message.id)?.resolve(arrival);
  }

  private known(conversationId: string): Map<string, Arrival> {
    const known = this.conversations.get(conversationId) ?? new Map<string, Arrival>();
    this.conversations.set(conversationId, known);
    return known;
  }

  private async next(messageId: string): Promise<Arrival> {
    if (this.broken !== undefined) throw new Error(this.broken);
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Arrival>((resolve, reject) => {
        const fail = (why: string): void => reject(new Error(why));
        this.waiting.set(messageId, { resolve, fail });
        timer = setTimeout(() => fail(`no message.created within ${this.patienceMs / 1000} s`), this.patienceMs);
      });
    } finally {
      clearTimeout(timer);
      this.waiting.delete(messageId);
    }
  }

  private breakOff(why: string): void {
    this.broken = why;
    for (const { fail } of this.waiting.values()) fail(why);
  }
}
