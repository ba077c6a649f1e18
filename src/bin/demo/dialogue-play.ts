import type { AgentClient, MessageView, VisitorSocket } from '@support-chat/sdk';
import { VisitorClient } from '@support-chat/sdk';
import { Deliveries } from './deliveries.js';
import type { Dialogue, Speaker } from './dialogue.js';
import { describeDifference, readHistory, type SentMessage } from './history.js';
import { throttle, type Pace } from './pace.js';
import { retryRateLimited } from './retry-rate-limited.js';
import type { Person } from './people.js';
import type { Line } from './transcript.js';

/** The settings and clients that all dialogues of a run share. */
export interface PlayContext {
  baseUrl: string;
  wsBaseUrl?: string | undefined;
  widgetToken: string;
  agent: AgentClient;
  agentName: string;
  /** Messages that the agent's socket has received. */
  agentDeliveries: Deliveries;
  agentTyping: (conversationId: string) => void;
  pace: Pace;
  patienceMs: number;
}

/** Plays one dialogue between a new contact and the agent. It fails when a message does not reach the other side. */
export class DialoguePlay {
  readonly lines: Line[] = [];
  readonly sent: SentMessage[] = [];
  /** Number of messages that arrived on the other side's socket. */
  frames = 0;
  private visitor!: VisitorClient;
  private socket!: VisitorSocket;
  private visitorDeliveries!: Deliveries;
  private conversationId = '';
  private assigned = false;

  constructor(
    private readonly context: PlayContext,
    private readonly dialogue: Dialogue,
    private readonly contact: Person & { externalId: string },
  ) {}

  /** @throws Error that names the lost message and its recipient */
  async run(): Promise<void> {
    const { baseUrl, wsBaseUrl, widgetToken, patienceMs } = this.context;
    this.visitor = await retryRateLimited(() =>
      VisitorClient.start({ baseUrl, wsBaseUrl, widgetToken, ...this.contact }),
    );
    this.socket = await this.visitor.connect();
    try {
      this.visitorDeliveries = new Deliveries(this.socket, patienceMs);
      await this.playTurns();
      await retryRateLimited(() => this.context.agent.conversations.resolve(this.conversationId));
      await this.checkHistories();
    } finally {
      this.socket.close();
      this.context.agentDeliveries.forget(this.conversationId);
    }
  }

  private async playTurns(): Promise<void> {
    const visitorTyping = throttle(() => this.socket.typing(this.conversationId));
    let previous = '';
    for (const [speaker, text] of this.dialogue.turns) {
      if (speaker === 'agent') await this.takeConversation();
      const typing = speaker === 'agent' ? this.context.agentTyping : visitorTyping;
      await this.context.pace.simulateTurn(
        previous,
        text,
        () => this.conversationId !== '' && typing(this.conversationId),
      );
      const message = await retryRateLimited(() =>
        speaker === 'agent' ? this.sendAsAgent(text) : this.sendAsVisitor(text),
      );
      this.recordMessage(speaker, message);
      await this.checkDelivery(speaker, message);
      previous = text;
    }
  }

  private async sendAsVisitor(text: string): Promise<MessageView> {
    if (this.conversationId !== '') return this.visitor.send(this.conversationId, text);
    const { conversation, message } = await this.visitor.startConversation(text);
    this.conversationId = conversation.id;
    return message;
  }

  private sendAsAgent(text: string): Promise<MessageView> {
    return this.context.agent.conversations.send(this.conversationId, text);
  }

  private async takeConversation(): Promise<void> {
    if (this.assigned) return;
    await retryRateLimited(() => this.context.agent.conversations.take(this.conversationId));
    this.assigned = true;
  }

  private recordMessage(speaker: Speaker, { id, content }: MessageView): void {
    const name = speaker === 'agent' ? this.context.agentName : this.contact.name;
    this.lines.push({ speaker, name, text: content ?? '', at: new Date() });
    this.sent.push({ id, speaker, text: content ?? '' });
  }

  private async checkDelivery(speaker: Speaker, { id, content }: MessageView): Promise<void> {
    const [deliveries, side] =
      speaker === 'agent' ? [this.visitorDeliveries, 'visitor'] : [this.context.agentDeliveries, 'agent'];
    try {
      const shown = await deliveries.waitFor(this.conversationId, id);
      if (shown.content !== content) throw new Error(`it arrived as ${JSON.stringify(shown.content)}`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`message ${this.sent.length} did not reach the ${side}: ${why}`, { cause: error });
    }
    this.frames += 1;
  }

  /** Compares both histories with the sent messages, and checks that no socket received a message twice. */
  private async checkHistories(): Promise<void> {
    const id = this.conversationId;
    const sides = [
      { side: 'visitor', reader: this.visitor, deliveries: this.visitorDeliveries },
      { side: 'agent', reader: this.context.agent.conversations, deliveries: this.context.agentDeliveries },
    ];
    for (const { side, reader, deliveries } of sides) {
      const history = await readHistory(range => retryRateLimited(() => reader.messages(id, range)));
      const wrong = describeDifference(this.sent, history);
      if (wrong !== undefined) throw new Error(`the ${side}’s history: ${wrong}`);
      const repeated = deliveries.findRepeated(id);
      if (repeated.length > 0) throw new Error(`the ${side} received more than once: ${repeated.join(', ')}`);
    }
  }
}
