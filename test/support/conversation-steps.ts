import fc from 'fast-check';
import { EventTail } from '../../src/platform/events/event-tail.js';
import type { Answer } from './http.js';
import type { Json } from './json.js';
import type { TestSocket } from './socket.js';
import { ModelListener } from './conversation-listener.js';
import type { Agent, Expected, Person } from './conversation-model.js';
import { PERSONS, ConversationModel } from './conversation-model.js';
import type { Agent as SignedIn, Desk, Visitor } from './world.js';
import { unique, World } from './world.js';

const AGENTS = ['owner', 'colleague'] as const;

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
    return this.at.world.app.app.get(EventTail).catchUp();
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

export type Step = fc.AsyncCommand<ConversationModel, LiveConversation>;

/** Every step of a run. */
export function steps(): fc.Arbitrary<Step>[] {
  const person = fc.constantFrom(...PERSONS);
  const agent = fc.constantFrom(...AGENTS);
  const clientId = fc.option(fc.constantFrom('one', 'two'), { nil: null });
  const message = fc.record({ by: person, isPrivate: fc.boolean(), clientId });
  const nth = fc.nat({ max: 30 });
  const selection = fc.record({ byAuthor: fc.boolean(), nth });
  const way = fc.record({ room: fc.boolean(), resumes: fc.boolean(), settled: fc.boolean() });
  return [
    message.map(one => new Send([one])),
    fc.array(message, { minLength: 2, maxLength: 4 }).map(several => new Send(several)),
    fc.tuple(agent, selection).map(([by, message]) => new Edit(by, message)),
    fc.tuple(agent, selection).map(([by, message]) => new Unsend(by, message)),
    fc.tuple(person, nth).map(([by, upTo]) => new Read(by, upTo)),
    fc.tuple(agent, fc.constantFrom(...AGENTS, null)).map(([by, to]) => new Assign(by, to)),
    agent.map(by => new Act(by, 'take')),
    agent.map(by => new Act(by, 'resolve')),
    agent.map(by => new Act(by, 'reopen')),
    fc.tuple(person, way).map(([person, how]) => new Connect(person, how)),
    fc.tuple(person, way).map(([person, how]) => new Connect(person, { ...how, resumes: true })),
    fc.tuple(person, fc.boolean()).map(([by, goodbye]) => new Leave(by, goodbye)),
    fc.tuple(person, fc.boolean()).map(([by, room]) => new Flicker(by, room)),
    fc.constant(new Look()),
  ];
}

/** A step that is valid in every state. The model decides the expected response. */
abstract class UnconditionalStep implements Step {
  check(): boolean {
    return true;
  }

  abstract run(model: ConversationModel, real: LiveConversation): Promise<void>;
  abstract toString(): string;
}

interface PlannedMessage {
  by: Person;
  isPrivate: boolean;
  clientId: string | null;
}

/** Sends one message, or several concurrently; then `seq` decides their order. */
class Send extends UnconditionalStep {
  constructor(private readonly messages: readonly PlannedMessage[]) {
    super();
  }

  async run(model: ConversationModel, real: LiveConversation): Promise<void> {
    const attempts = this.messages.map(({ by, isPrivate, clientId }, index) => {
      const hidden = isPrivate && by !== 'visitor';
      const words = unique(hidden ? 'secret' : 'said');
      return { by, isPrivate: hidden, clientId, words, index };
    });
    const answered = await Promise.all(
      attempts.map(async attempt => {
        const { by, isPrivate, clientId, words } = attempt;
        const given = clientId === null ? {} : { client_message_id: clientId };
        const answer = await real.post(by, '/messages', {
          content: words,
          ...(isPrivate ? { private: true } : {}),
          ...given,
        });
        return { attempt, answer };
      }),
    );
    // Refused sends first; of two with one client id, the one that created the message first.
    const order = ({ answer: { status, data } }: (typeof answered)[number]) =>
      status >= 400 ? -1 : (data.seq as number) * 2 + (status === 201 ? 0 : 1);
    for (const { attempt, answer } of answered.sort((a, b) => order(a) - order(b))) {
      const { by, words, isPrivate, clientId } = attempt;
      agree(`${by} sends`, answer, model.send(by, words, isPrivate, clientId));
    }
  }

  toString(): string {
    const one = ({ by, isPrivate, clientId }: PlannedMessage) =>
      `${by}${isPrivate ? ' privately' : ''}${clientId ? ` as ${clientId}` : ''}`;
    return `send(${this.messages.map(one).join(', ')})`;
  }
}

/** Selects the nth message: of those the agent sent if `byAuthor` is set and there are any, else of all. */
interface MessageSelection {
  byAuthor: boolean;
  nth: number;
}

class Edit extends UnconditionalStep {
  constructor(
    private readonly by: Agent,
    private readonly message: MessageSelection,
  ) {
    super();
  }

  async run(model: ConversationModel, real: LiveConversation): Promise<void> {
    const seq = selectedSeq(model, this.by, this.message);
    const words = unique(model.messages[seq - 1]?.private ? 'secret' : 'edited');
    const id = await real.messageId(seq);
    const answer = await real.api(this.by).patch<Json>(real.path(this.by, `/messages/${id}`), { content: words });
    agree(this.toString(), answer, model.edit(this.by, seq, words));
  }

  toString(): string {
    return `edit(${this.by}, ${describeSelection(this.message)})`;
  }
}

class Unsend extends UnconditionalStep {
  constructor(
    private readonly by: Agent,
    private readonly message: MessageSelection,
  ) {
    super();
  }

  async run(model: ConversationModel, real: LiveConversation): Promise<void> {
    const seq = selectedSeq(model, this.by, this.message);
    const id = await real.messageId(seq);
    const answer = await real.api(this.by).delete<Json>(real.path(this.by, `/messages/${id}`));
    agree(this.toString(), answer, model.unsend(this.by, seq));
  }

  toString(): string {
    return `unsend(${this.by}, ${describeSelection(this.message)})`;
  }
}

class Read extends UnconditionalStep {
  constructor(
    private readonly by: Person,
    private readonly upTo: number,
  ) {
    super();
  }

  async run(model: ConversationModel, real: LiveConversation): Promise<void> {
    const answer = await real.post(this.by, '/read', { seq: this.upTo });
    agree(this.toString(), answer, model.read(this.by, this.upTo));
    if (answer.status === 200) same('unread', answer.data.unread, model.unread);
  }

  toString(): string {
    return `read(${this.by}, ${this.upTo})`;
  }
}

class Assign extends UnconditionalStep {
  constructor(
    private readonly by: Agent,
    private readonly to: Agent | null,
  ) {
    super();
  }

  async run(model: ConversationModel, real: LiveConversation): Promise<void> {
    const answer = await real.post(this.by, '/assign', { member_id: real.idOf(this.to) });
    agree(this.toString(), answer, model.assign(this.by, this.to));
    if (answer.status === 200) same('the assignee', answer.data.assignee_id, real.idOf(this.to));
  }

  toString(): string {
    return `assign(${this.by}, ${this.to})`;
  }
}

class Act extends UnconditionalStep {
  constructor(
    private readonly by: Agent,
    private readonly action: 'take' | 'resolve' | 'reopen',
  ) {
    super();
  }

  async run(model: ConversationModel, real: LiveConversation): Promise<void> {
    const answer = await real.post(this.by, `/${this.action}`);
    agree(this.toString(), answer, model[this.action](this.by));
    if (answer.status === 200) same('the status', answer.data.status, model.status);
  }

  toString(): string {
    return `${this.action}(${this.by})`;
  }
}

interface Way {
  room: boolean;
  resumes: boolean;
  /** True if the event tail caught up before, so that the cursor starts at the present. */
  settled: boolean;
}

/** Connects; if already connected, drops the connection and reconnects at once. */
class Connect extends UnconditionalStep {
  constructor(
    private readonly person: Person,
    private readonly way: Way,
  ) {
    super();
  }

  async run(model: ConversationModel, real: LiveConversation): Promise<void> {
    const { room, resumes, settled } = this.way;
    if (room && !model.sees(this.person)) return;
    const listener = real.listener(this.person);
    if (listener.connected) listener.drop();
    if (settled) await real.settleLog();
    await listener.connect(real.open(this.person, room), resumes);
  }

  toString(): string {
    const { room, resumes, settled } = this.way;
    const how = [...(room ? ['in the room'] : []), ...(resumes ? ['with a cursor'] : [])];
    return `connect(${[this.person, ...how, ...(settled ? ['log caught up'] : [])].join(', ')})`;
  }
}

class Flicker extends UnconditionalStep {
  constructor(
    private readonly person: Person,
    private readonly room: boolean,
  ) {
    super();
  }

  async run(model: ConversationModel, real: LiveConversation): Promise<void> {
    const listener = real.listener(this.person);
    if (listener.connected || listener.cursor === null || (this.room && !model.sees(this.person))) return;
    await listener.flicker(real.open(this.person, this.room));
  }

  toString(): string {
    return `flicker(${this.person}${this.room ? ', in the room' : ''})`;
  }
}

class Leave extends UnconditionalStep {
  constructor(
    private readonly person: Person,
    private readonly goodbye: boolean,
  ) {
    super();
  }

  async run(_model: ConversationModel, real: LiveConversation): Promise<void> {
    const listener = real.listener(this.person);
    if (!listener.connected) return;
    if (this.goodbye) await listener.leave();
    else listener.drop();
  }

  toString(): string {
    return `${this.goodbye ? 'leave' : 'drop'}(${this.person})`;
  }
}

class Look extends UnconditionalStep {
  run(model: ConversationModel, real: LiveConversation): Promise<void> {
    return real.compare(model);
  }

  toString(): string {
    return 'look';
  }
}

function selectedSeq({ messages }: ConversationModel, by: Agent, { byAuthor, nth }: MessageSelection): number {
  const ownMessages = messages.filter(message => message.by === by);
  const among = byAuthor && ownMessages.length > 0 ? ownMessages : messages;
  return among[nth % among.length]?.seq ?? 1;
}

function describeSelection({ byAuthor, nth }: MessageSelection): string {
  return `${nth}${byAuthor ? ' of its own messages' : ''}`;
}

function agree(description: string, { status, data, error }: Answer<Json>, expected: Expected): void {
  const answered = {
    status,
    ...(expected.code === undefined ? {} : { code: error?.code }),
    ...(expected.seq === undefined ? {} : { seq: (data as Json)?.seq as number }),
  };
  same(description, answered, expected);
}

/** Compares the expected fields only. */
function same(description: string, found: unknown, expected: unknown): void {
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
