import type { AgentClient, MessageView, VisitorSocket } from '@support-chat/sdk';
import { VisitorClient } from '@support-chat/sdk';
import { Deliveries } from './deliveries.js';
import type { Dialogue, Speaker } from './dialogue.js';
import { describeDifference, readHistory, type SentMessage } from './history.js';
import { throttle, type Pace } from './pace.js';
import { retryRateLimited } from './retry-rate-limited.js';
import type { Person } from './people.js';
import type { Line } from './transcript.js';

/** What all dialogues of a play share. */
export interface PlayContext {
  baseUrl: string;
  wsBaseUrl?: string | undefined;
  widgetToken: string;
  agent: AgentClient;
  agentName: string;
  /** What the agent's inbox socket has told. */
  agentDeliveries: Deliveries;
  agentTyping: (conversationId: string) => void;
  pace: Pace;
  patienceMs: number;
}

/** One dialogue on its stage: a contact of its own talks with the agent, and each hears the other or it fails. */
export class DialoguePlay {
  readonly lines: Line[] = [];
  readonly sent: SentMessage[] = [];
  /** Messages that the other side's socket has shown. */
  frames = 0;
  private visitor!: VisitorClient;
  private socket!: VisitorSocket;
  private visitorDeliveries!: Deliveries;
  private conversationId = '';
  private taken = false;

  constructor(
    private readonly stage: PlayContext,
    private readonly dialogue: Dialogue,
    private readonly contact: Person & { externalId: string },
  ) {}

  /** @throws Error that says which message was lost, on which way */
  async run(): Promise<void> {
    const { baseUrl, wsBaseUrl, widgetToken, patienceMs } = this.stage;
    this.visitor = await retryRateLimited(() => VisitorClient.start({ baseUrl, wsBaseUrl, widgetToken, ...this.contact }));
    this.socket = await this.visitor.connect();
    try {
      this.visitorDeliveries = new Deliveries(this.socket, patienceMs);
      await this.talk();
      await retryRateLimited(() => this.stage.agent.conversations.resolve(this.conversationId));
      await this.compare();
    } finally {
      this.socket.close();
      this.stage.agentDeliveries.forget(this.conversationId);
    }
  }

  private async talk(): Promise<void> {
    const visitorTyping = throttle(() => this.socket.typing(this.conversationId));
    let heard = '';
    for (const [speaker, text] of this.dialogue.turns) {
      if (speaker === 'agent') await this.take();
      const typing = speaker === 'agent' ? this.stage.agentTyping : visitorTyping;
      await this.stage.pace.simulateTurn(heard, text, () => this.conversationId !== '' && typing(this.conversationId));
      const message = await retryRateLimited(() => (speaker === 'agent' ? this.reply(text) : this.ask(text)));
      this.note(speaker, message);
      await this.delivered(speaker, message);
      heard = text;
    }
  }

  private async ask(text: string): Promise<MessageView> {
    if (this.conversationId !== '') return this.visitor.send(this.conversationId, text);
    const { conversation, message } = await this.visitor.startConversation(text);
    this.conversationId = conversation.id;
    return message;
  }

  private reply(text: string): Promise<MessageView> {
    return this.stage.agent.conversations.send(this.conversationId, text);
  }

  private async take(): Promise<void> {
    if (this.taken) return;
    await retryRateLimited(() => this.stage.agent.conversations.take(this.conversationId));
    this.taken = true;
  }

  private note(speaker: Speaker, { id, content }: MessageView): void {
    const name = speaker === 'agent' ? this.stage.agentName : this.contact.name;
    this.lines.push({ speaker, name, text: content ?? '', at: new Date() });
    this.sent.push({ id, speaker, text: content ?? '' });
  }

  private async delivered(speaker: Speaker, { id, content }: MessageView): Promise<void> {
    const [ears, side] = speaker === 'agent' ? [this.visitorDeliveries, 'visitor'] : [this.stage.agentDeliveries, 'agent'];
    try {
      const shown = await ears.waitFor(this.conversationId, id);
      if (shown.content !== content) throw new Error(`it arrived as ${JSON.stringify(shown.content)}`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`message ${this.sent.length} did not reach the ${side}: ${why}`, { cause: error });
    }
    this.frames += 1;
  }

  /** Both histories against what was said, and both sockets against having said it twice. */
  private async compare(): Promise<void> {
    const id = this.conversationId;
    const sides = [
      { side: 'visitor', reader: this.visitor, ears: this.visitorDeliveries },
      { side: 'agent', reader: this.stage.agent.conversations, ears: this.stage.agentDeliveries },
    ];
    for (const { side, reader, ears } of sides) {
      const history = await readHistory(range => retryRateLimited(() => reader.messages(id, range)));
      const wrong = describeDifference(this.sent, history);
      if (wrong !== undefined) throw new Error(`the ${side}’s history: ${wrong}`);
      const twice = ears.findRepeated(id);
      if (twice.length > 0) throw new Error(`the ${side} was told twice of ${twice.join(', ')}`);
    }
  }
}
