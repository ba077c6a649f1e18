import { EventTailJob } from '../../src/platform/events/event-tail.job.js';
import type { Answer } from './http.js';
import type { Json } from './json.js';
import type { TestSocket } from './socket.js';
import { ModelListener } from './conversation-listener.js';
import type { Agent, Person } from './conversation-model.js';
import { PERSONS, ConversationModel } from './conversation-model.js';
import type { Agent as SignedIn, Desk, Visitor, World } from './world.js';

/** Desk for every run: two channels, and a colleague with access to one of them. */
export interface ConversationDesk {
  world: World;
  desk: Desk;
  colleague: SignedIn;
  far: { id: string; widget_token: string };
}

export async function openConversationDesk(world: World): Promise<ConversationDesk> {
  const desk = await world.desk();
  const colleague = await world.colleague(desk, { channel_ids: [desk.channelId], name: 'colleague' });
  await desk.owner.api.patch('/v1/workspace/members/me', { name: 'owner' });
  const far = await world.channel(desk);
  return { world, desk, colleague, far };
}

/** A conversation on the real service. */
export class LiveConversation {
  private readonly listeners = new Map<Person, ModelListener>();

  private constructor(
    private readonly at: ConversationDesk,
    readonly conversationId: string,
    private readonly visitor: Visitor,
  ) {}

  /** @param early persons who open a socket before the conversation begins */
  static async begin(
    at: ConversationDesk,
    near: boolean,
    early: readonly Person[],
  ): Promise<{ model: ConversationModel; real: LiveConversation }> {
    const { world, desk, colleague, far } = at;
    const visitor = await world.visitor(near ? desk : { widgetToken: far.widget_token });
    const sockets = new Map<Person, TestSocket>();
    const open = { owner: desk.owner, colleague } as const;
    for (const person of early) {
      const socket = person === 'visitor' ? world.visitorSocket(visitor) : world.agentSocket(open[person]);
      sockets.set(person, await socket);
    }
    const { id } = await world.conversation(visitor, 'begins');
    const model = new ConversationModel(near, 'begins');
    const names = new Map<string | null, string>([
      [null, 'null'],
      [visitor.contactId, 'visitor'],
      [desk.owner.memberId, 'owner'],
      [colleague.memberId, 'colleague'],
      ['owner', 'owner'],
      ['colleague', 'colleague'],
    ]);
    const real = new LiveConversation(at, id, visitor);
    for (const person of PERSONS) {
      real.listeners.set(person, new ModelListener(person, model, id, names, sockets.get(person) ?? null));
    }
    return { model, real };
  }

  listener(person: Person): ModelListener {
    const listener = this.listeners.get(person);
    if (!listener) throw new Error(`${person} has no listener`);
    return listener;
  }

  /** Opens a socket for all conversations, or for this conversation only. */
  open(person: Person, room: boolean): (after: string | null) => Promise<TestSocket> {
    const { world, desk, colleague } = this.at;
    return after => {
      const back: Record<string, string> = after === null ? {} : { after };
      if (person === 'visitor') {
        return world.visitorSocket(this.visitor, { ...back, ...(room ? { conv: this.conversationId } : {}) });
      }
      const agent = person === 'owner' ? desk.owner : colleague;
      return world.agentSocket(agent, { ...back, ...(room ? { room: this.conversationId } : {}) });
    };
  }

  post(by: Person, path: string, body: object = {}): Promise<Answer<Json>> {
    return this.api(by).post(this.path(by, path), body);
  }

  api(by: Person): SignedIn['api'] {
    const { desk, colleague } = this.at;
    return { visitor: this.visitor.api, owner: desk.owner.api, colleague: colleague.api }[by];
  }

  path(by: Person, path: string): string {
    return `/v1/${by === 'visitor' ? 'widget/' : ''}conversations/${this.conversationId}${path}`;
  }

  idOf(member: Agent | null): string | null {
    const { desk, colleague } = this.at;
    return member && { owner: desk.owner, colleague }[member].memberId;
  }

  async messageId(seq: number): Promise<string> {
    const around = this.path('owner', `/messages?after_seq=${seq - 1}&limit=1`);
    const [message] = (await this.api('owner').get(around)).data.items as Json[];
    if (message?.seq !== seq) throw new Error(`message ${seq} does not exist`);
    return message.id as string;
  }

  /** Lets the event tail catch up, so that cursors issued from now on start at the present. */
  settleLog(): Promise<void> {
    return this.at.world.app.app.get(EventTailJob).catchUp();
  }

  /** Compares every readable view and every listener with the model. */
  async compare(model: ConversationModel): Promise<void> {
    for (const listener of this.listeners.values()) await listener.check();
    const conversation = (await this.api('owner').get(this.path('owner', ''))).data as Json;
    same('the conversation', read(conversation), {
      status: model.status,
      assignee_id: this.idOf(model.assignee),
      version: model.version,
      last_seq: model.lastSeq,
      unread: model.unread,
      agent_last_read_seq: model.agentsRead,
      contact_last_read_seq: model.contactRead,
      reopened_count: model.reopened,
      preview: model.preview('agent'),
    });
    const seen = (await this.api('visitor').get(this.path('visitor', ''))).data as Json;
    same(
      'the conversation as the visitor sees it',
      { ...seen, assignee: seen.assignee?.name ?? null, preview: previewOf(seen) },
      {
        status: model.status,
        assignee: model.assignee,
        last_seq: model.lastPublicSeq,
        unread: model.unread,
        preview: model.preview('visitor'),
      },
    );
    const visibleEntries = model.messages.map(({ seq, words, event, private: hidden }) => [
      seq,
      event ? null : words,
      hidden,
    ]);
    same('the messages', await this.messages('owner'), visibleEntries);
    same(
      'the messages as the visitor sees them',
      await this.messages('visitor'),
      visibleEntries.filter(([, , hidden]) => !hidden),
    );
    const { status } = await this.api('colleague').get(this.path('colleague', ''));
    same("the colleague's access", status, model.near ? 200 : 404);
  }

  end(): void {
    for (const listener of this.listeners.values()) listener.drop();
  }

  private async messages(by: Person): Promise<unknown[]> {
    const { items } = (await this.api(by).get(this.path(by, '/messages?limit=200'))).data as Json;
    return (items as Json[]).map(message => [message.seq, message.content, message.private]);
  }
}

/** Compares the expected fields only. */
export function same(description: string, found: unknown, expected: unknown): void {
  const [left, right] = [picked(found, expected), expected].map(value => JSON.stringify(value));
  if (left !== right) throw new Error(`${description}: found ${left}, expected ${right}`);
}

function picked(found: unknown, expected: unknown): unknown {
  if (typeof expected !== 'object' || expected === null || Array.isArray(expected)) return found;
  return Object.fromEntries(Object.keys(expected).map(key => [key, (found as Record<string, unknown>)[key]]));
}

function read(conversation: Json): Json {
  return { ...conversation, preview: previewOf(conversation) };
}

function previewOf({ last_message: last }: Json): string {
  return (last?.preview ?? '') as string;
}
