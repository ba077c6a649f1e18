import type { AgentClient, MessageView, VisitorSocket } from '@support-chat/sdk';
import { VisitorClient } from '@support-chat/sdk';
import { Deliveries } from './deliveries.js';
import type { Dialogue, Speaker } from './dialogue.js';
import { difference, readHistory, type Said } from './history.js';
import { sparingly, type Pace } from './pace.js';
import { patiently } from './patience.js';
import type { Person } from './people.js';
import type { Line } from './transcript.js';

/** What all dialogues of a play share. */
export interface Stage {
  baseUrl: string;
  wsBaseUrl?: string | undefined;
  widgetToken: string;
  agent: AgentClient;
  agentName: string;
  /** What the agent's inbox socket has told. */
  agentEars: Deliveries;
  agentTyping: (conversationId: string) => void;
  pace: Pace;
  patienceMs: number;
}

/** One dialogue on its stage: a contact of its own talks with the agent, and each hears the other or it fails. */
export class DialoguePlay {
  readonly lines: Line[] = [];
  readonly said: Said[] = [];
  /** Messages that the other side's socket has shown. */
  frames = 0;
  private visitor!: VisitorClient;
  private socket!: VisitorSocket;
  private visitorEars!: Deliveries;
  private conversationId = '';
  private taken = false;

  constructor(
    private readonly stage: Stage,
    private readonly dialogue: Dialogue,
    private readonly contact: Person & { externalId: string },
  ) {}

  /** @throws Error that says which message was lost, on which way */
  async perform(): Promise<void> {
    const { baseUrl, wsBaseUrl, widgetToken, patienceMs } = this.stage;
    this.visitor = await patiently(() => VisitorClient.start({ baseUrl, wsBaseUrl, widgetToken, ...this.contact }));
    this.socket = await this.visitor.connect();
    try {
      this.visitorEars = new Deliveries(this.socket, patienceMs);
      await this.talk();
      await patiently(() => this.stage.agent.conversations.resolve(this.conversationId));
      await this.compare();
    } finally {
      this.socket.close();
      this.stage.agentEars.forget(this.conversationId);
    }
  }

  private async talk(): Promise<void> {
    const visitorTyping = sparingly(() => this.socket.typing(this.conversationId));
    let heard = '';
    for (const [speaker, text] of this.dialogue.turns) {
      if (speaker === 'agent') await this.take();
      const typing = speaker === 'agent' ? this.stage.agentTyping : visitorTyping;
      await this.stage.pace.spend(heard, text, () => this.conversationId !== '' && typing(this.conversationId));
      const message = await patiently(() => (speaker === 'agent' ? this.reply(text) : this.ask(text)));
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
    await patiently(() => this.stage.agent.conversations.take(this.conversationId));
    this.taken = true;
  }

  private note(speaker: Speaker, { id, content }: MessageView): void {
    const name = speaker === 'agent' ? this.stage.agentName : this.contact.name;
    this.lines.push({ speaker, name, text: content ?? '', at: new Date() });
    this.said.push({ id, speaker, text: content ?? '' });
  }

  private async delivered(speaker: Speaker, { id, content }: MessageView): Promise<void> {
    const [ears, side] = speaker === 'agent' ? [this.visitorEars, 'visitor'] : [this.stage.agentEars, 'agent'];
    try {
      const shown = await ears.of(this.conversationId, id);
      if (shown.content !== content) throw new Error(`it arrived as ${JSON.stringify(shown.content)}`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`message ${this.said.length} did not reach the ${side}: ${why}`, { cause: error });
    }
    this.frames += 1;
  }

  /** Both histories against what was said, and both sockets against having said it twice. */
  private async compare(): Promise<void> {
    const id = this.conversationId;
    const sides = [
      { side: 'visitor', reader: this.visitor, ears: this.visitorEars },
      { side: 'agent', reader: this.stage.agent.conversations, ears: this.stage.agentEars },
    ];
    for (const { side, reader, ears } of sides) {
      const history = await readHistory(range => patiently(() => reader.messages(id, range)));
      const wrong = difference(this.said, history);
      if (wrong !== undefined) throw new Error(`the ${side}’s history: ${wrong}`);
      const twice = ears.repeated(id);
      if (twice.length > 0) throw new Error(`the ${side} was told twice of ${twice.join(', ')}`);
    }
  }
}
