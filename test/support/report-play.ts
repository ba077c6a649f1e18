import { consumed } from './consumed.js';
import type { Caller } from './http.js';
import type { Json } from './json.js';
import type { Agent, Desk, Visitor, World } from './world.js';
import { ReportsConsumer } from '../../src/modules/reports/reports.consumer.js';

const TAGS = ['vip', 'billing', 'late'];

interface Talk {
  id: string;
  visitor: Visitor;
}

/** A desk at which random things happen. */
export class ReportPlay {
  private readonly talks: Talk[] = [];

  private constructor(
    private readonly world: World,
    readonly desk: Desk,
    private readonly key: Caller,
    readonly agents: readonly Agent[],
    private readonly channels: readonly Json[],
    private readonly bot: Json,
    private readonly random: () => number,
    private readonly settle: () => Promise<void>,
  ) {}

  /** @param settle counts what has happened */
  static async begin(
    world: World,
    random: () => number,
    settle = () => consumed(world, ReportsConsumer),
  ): Promise<ReportPlay> {
    const desk = await world.desk();
    const key = await world.apiKey(desk);
    const agents = [await world.colleague(desk), await world.colleague(desk, { name: 'Ben Agent' })];
    const options = { csat_enabled: true, widget_config: { features: { end_chat: true } } };
    const bot = (await desk.owner.api.post('/v1/bots', { name: 'Robo' })).data as Json;
    const channels = [
      await world.channel(desk, options),
      await world.channel(desk, options),
      await world.channel(desk, { ...options, routing: { bot_id: bot.id as string } }),
    ];
    return new ReportPlay(world, desk, key, agents, channels, bot, random, settle);
  }

  get channelIds(): string[] {
    return this.channels.map(({ id }) => id as string);
  }

  /** Plays one random step. Steps that the service refuses change nothing. */
  async step(): Promise<void> {
    const talk = this.pick(this.talks);
    if (!talk || this.random() < 0.15) return this.start();
    await this.pick(STEPS)?.call(this, talk);
  }

  /** Erases the contact of a random conversation. */
  async erase(): Promise<void> {
    const [talk] = this.talks.splice(Math.floor(this.random() * this.talks.length), 1);
    if (talk) await this.key.delete(`/v1/contacts/${talk.visitor.contactId}`);
  }

  async start(): Promise<void> {
    const channel = this.pick(this.channels);
    const visitor = await this.world.visitor({ widgetToken: channel.widget_token as string });
    const { id } = await this.world.conversation(visitor);
    this.talks.push({ id: id as string, visitor });
  }

  ask({ id, visitor }: Talk): Promise<unknown> {
    return visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content: 'And now?' });
  }

  answer({ id }: Talk): Promise<unknown> {
    return this.pick(this.agents)!.api.post(`/v1/conversations/${id}/messages`, { content: 'Now.' });
  }

  note({ id }: Talk): Promise<unknown> {
    return this.key.post(`/v1/conversations/${id}/messages`, {
      content: 'Hm.',
      private: true,
      member_id: this.agents[0]!.memberId,
    });
  }

  answerByBot({ id }: Talk): Promise<unknown> {
    return this.key.post(`/v1/conversations/${id}/messages`, { content: 'Beep.', bot_id: this.bot.id as string });
  }

  /** Refused unless the bot is in control. */
  resolveByBot({ id }: Talk): Promise<unknown> {
    return this.key.post(`/v1/conversations/${id}/resolve`, { bot_id: this.bot.id as string });
  }

  handOff({ id }: Talk): Promise<unknown> {
    return this.key.post(`/v1/conversations/${id}/handoff`, { bot_id: this.bot.id as string, reason: 'asked' });
  }

  async unsend({ id }: Talk): Promise<void> {
    const [agent] = this.agents;
    const sent = await agent!.api.post(`/v1/conversations/${id}/messages`, { content: 'Oops' });
    await agent!.api.delete(`/v1/conversations/${id}/messages/${sent.data?.id as string}`);
  }

  resolve({ id }: Talk): Promise<unknown> {
    return this.pick([this.key, ...this.agents.map(({ api }) => api)])!.post(`/v1/conversations/${id}/resolve`);
  }

  close({ id, visitor }: Talk): Promise<unknown> {
    return visitor.api.post(`/v1/widget/conversations/${id}/resolve`);
  }

  reopen({ id }: Talk): Promise<unknown> {
    return this.key.post(`/v1/conversations/${id}/reopen`);
  }

  async resolveAndTakeBack({ id }: Talk): Promise<void> {
    const { api } = this.pick(this.agents)!;
    await api.post(`/v1/conversations/${id}/resolve`);
    await api.post(`/v1/conversations/${id}/reopen`);
  }

  async rate({ id, visitor }: Talk): Promise<void> {
    await this.key.post(`/v1/conversations/${id}/resolve`);
    const score = 1 + Math.floor(this.random() * 5);
    await visitor.api.post(`/v1/widget/conversations/${id}/rating`, { score });
  }

  assign({ id }: Talk): Promise<unknown> {
    const member_id = this.pick([null, ...this.agents.map(({ memberId }) => memberId)]);
    return this.key.post(`/v1/conversations/${id}/assign`, { member_id });
  }

  /** Messages count for the tags that their conversation has when they are counted, so those before are counted first. */
  async tag({ id }: Talk): Promise<void> {
    await this.settle();
    const tags = TAGS.filter(() => this.random() < 0.5);
    await this.key.patch(`/v1/conversations/${id}`, { tags });
  }

  private pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T;
  }
}

const STEPS: readonly ((this: ReportPlay, talk: Talk) => Promise<unknown>)[] = [
  ReportPlay.prototype.ask,
  ReportPlay.prototype.ask,
  ReportPlay.prototype.answer,
  ReportPlay.prototype.answer,
  ReportPlay.prototype.note,
  ReportPlay.prototype.answerByBot,
  ReportPlay.prototype.resolveByBot,
  ReportPlay.prototype.handOff,
  ReportPlay.prototype.unsend,
  ReportPlay.prototype.resolve,
  ReportPlay.prototype.close,
  ReportPlay.prototype.reopen,
  ReportPlay.prototype.resolveAndTakeBack,
  ReportPlay.prototype.rate,
  ReportPlay.prototype.assign,
  ReportPlay.prototype.tag,
];
