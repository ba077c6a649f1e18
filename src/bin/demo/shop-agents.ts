import { setTimeout as wait } from 'node:timers/promises';
import type { AgentClient, AgentSocket, ConversationView, MessageView } from '@support-chat/sdk';
import type { Answers } from './answers.js';
import type { Pace } from './pace.js';

/** Agents answer visitors of the shop page for so long. */
const ANSWER_MS = 60 * 60_000;
/** Messages of an agent per conversation; after them it waits for a person. */
const MAX_ANSWERS = 50;
/** Attempts to find out to whom the service has assigned a conversation. */
const ASSIGNMENT = { attempts: 20, waitMs: 250 };

/** The agents at the shop page: a conversation is answered by its assignee, in the dialogues' words. */
export class ShopAgents {
  private readonly given = new Map<string, Set<string>>();
  /** Conversations that are answered one message after the other. */
  private readonly turns = new Map<string, Promise<void>>();
  private readonly sockets: AgentSocket[] = [];
  private readonly end = setTimeout(() => this.close(), ANSWER_MS).unref();

  private constructor(
    private readonly agents: ReadonlyMap<string, AgentClient>,
    private readonly channelId: string,
    private readonly answers: Answers,
    private readonly pace: Pace,
  ) {}

  /**
   * Opens a socket for each agent, so that the page shows somebody online.
   * @throws ApiError when a socket cannot be opened
   */
  static async begin(
    clients: readonly AgentClient[],
    channelId: string,
    answers: Answers,
    pace: Pace,
  ): Promise<ShopAgents> {
    const members = await Promise.all(clients.map(async client => [(await client.me()).member.id, client] as const));
    const shop = new ShopAgents(new Map(members), channelId, answers, pace);
    for (const client of clients) shop.sockets.push(await client.connect());
    const [first] = shop.sockets;
    first?.on('message.created', ({ data }) => {
      const { message } = data as { message: MessageView };
      if (message.sender_type === 'contact') shop.queue(message);
    });
    return shop;
  }

  close(): void {
    clearTimeout(this.end);
    for (const socket of this.sockets.splice(0)) socket.close();
  }

  private queue(message: MessageView): void {
    const { conversation_id: id } = message;
    const turn = (this.turns.get(id) ?? Promise.resolve())
      .then(() => this.answer(message))
      // the visitor may have ended the chat meanwhile; the demo goes on
      .catch(() => undefined)
      .finally(() => {
        if (this.turns.get(id) === turn) this.turns.delete(id);
      });
    this.turns.set(id, turn);
  }

  private async answer({ conversation_id: id, content: asked }: MessageView): Promise<void> {
    const content = asked ?? '';
    const conversation = await this.findAssigned(id);
    if (conversation.channel_id !== this.channelId) return;
    const agent = this.agents.get(conversation.assignee_id ?? '') ?? this.anyone;
    const given = this.given.get(id) ?? new Set();
    this.given.set(id, given);
    await agent.conversations.read(id, conversation.last_seq);
    let previous = content;
    for (const text of this.answers.find(content, given)) {
      if (given.size >= MAX_ANSWERS || this.sockets.length === 0) return;
      await this.pace.simulateTurn(previous, text, () => this.socketOf(agent)?.typing(id));
      await agent.conversations.send(id, text);
      given.add(text);
      previous = text;
    }
  }

  /** Waits a while for the assignment, which follows the first message. */
  private async findAssigned(id: string): Promise<ConversationView> {
    for (let attempt = 1; ; attempt += 1) {
      const conversation = await this.anyone.conversations.get(id);
      if (conversation.assignee_id || conversation.channel_id !== this.channelId || attempt === ASSIGNMENT.attempts) {
        return conversation;
      }
      await wait(ASSIGNMENT.waitMs);
    }
  }

  private get anyone(): AgentClient {
    return [...this.agents.values()][0]!;
  }

  private socketOf(agent: AgentClient): AgentSocket | undefined {
    return this.sockets[[...this.agents.values()].indexOf(agent)];
  }
}
