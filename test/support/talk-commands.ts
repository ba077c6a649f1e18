import fc from 'fast-check';
import { EventTail } from '../../src/platform/events/event-tail.js';
import type { Answer } from './http.js';
import type { Json } from './json.js';
import type { TestSocket } from './socket.js';
import { TalkListener } from './talk-listener.js';
import type { Agent, Expected, Person } from './talk-model.js';
import { PEOPLE, TalkModel } from './talk-model.js';
import type { Agent as SignedIn, Desk, Visitor } from './world.js';
import { unique, World } from './world.js';

const AGENTS = ['owner', 'colleague'] as const;

/** The desk at which every talk takes place: two channels, and a colleague who sees one of them. */
export interface TalkDesk {
  world: World;
  desk: Desk;
  colleague: SignedIn;
  far: { id: string; widget_token: string };
}

export async function talkDesk(world: World): Promise<TalkDesk> {
  const desk = await world.desk();
  const colleague = await world.colleague(desk, { channel_ids: [desk.channelId], name: 'colleague' });
  await desk.owner.api.patch('/v1/workspace/members/me', { name: 'owner' });
  const far = await world.channel(desk);
  return { world, desk, colleague, far };
}

/** A talk that really happens, in a conversation of its own. */
export class Talk {
  private readonly listeners = new Map<Person, TalkListener>();

  private constructor(
    private readonly at: TalkDesk,
    readonly conversationId: string,
    private readonly visitor: Visitor,
  ) {}

  /** @param early who listens before the conversation begins */
  static async begin(at: TalkDesk, near: boolean, early: readonly Person[]): Promise<{ model: TalkModel; real: Talk }> {
    const { world, desk, colleague, far } = at;
    const visitor = await world.visitor(near ? desk : { widgetToken: far.widget_token });
    const sockets = new Map<Person, TestSocket>();
    const open = { owner: desk.owner, colleague } as const;
    for (const person of early) {
      const socket = person === 'visitor' ? world.visitorSocket(visitor) : world.agentSocket(open[person]);
      sockets.set(person, await socket);
    }
    const { id } = await world.conversation(visitor, 'begins');
    const model = new TalkModel(near, 'begins');
    const names = new Map<string | null, string>([
      [null, 'null'],
      [visitor.contactId, 'visitor'],
      [desk.owner.memberId, 'owner'],
      [colleague.memberId, 'colleague'],
      ['owner', 'owner'],
      ['colleague', 'colleague'],
    ]);
    const real = new Talk(at, id, visitor);
    for (const person of PEOPLE) {
      real.listeners.set(person, new TalkListener(person, model, id, names, sockets.get(person) ?? null));
    }
    return { model, real };
  }

  listener(person: Person): TalkListener {
    const listener = this.listeners.get(person);
    if (!listener) throw new Error(`${person} does not listen`);
    return listener;
  }

  /** Opens a socket: everywhere, or in the conversation's room alone. */
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
    if (message?.seq !== seq) throw new Error(`there is no message ${seq}`);
    return message.id as string;
  }

  /** Brings the log's reader up to the present: cursors that are given from now on begin here. */
  settleLog(): Promise<void> {
    return this.at.world.app.app.get(EventTail).catchUp();
  }

  /** Compares all that can be read and all that was heard with the model. */
  async look(model: TalkModel): Promise<void> {
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
      'the conversation, to the visitor',
      { ...seen, assignee: seen.assignee?.name ?? null, preview: previewOf(seen) },
      {
        status: model.status,
        assignee: model.assignee,
        last_seq: model.lastPublicSeq,
        unread: model.unread,
        preview: model.preview('visitor'),
      },
    );
    const told = model.messages.map(({ seq, words, event, private: hidden }) => [seq, event ? null : words, hidden]);
    same('the messages', await this.messages('owner'), told);
    same(
      'the messages, to the visitor',
      await this.messages('visitor'),
      told.filter(([, , hidden]) => !hidden),
    );
    const { status } = await this.api('colleague').get(this.path('colleague', ''));
    same('what the colleague may see', status, model.near ? 200 : 404);
  }

  end(): void {
    for (const listener of this.listeners.values()) listener.drop();
  }

  private async messages(by: Person): Promise<unknown[]> {
    const { items } = (await this.api(by).get(this.path(by, '/messages?limit=200'))).data as Json;
    return (items as Json[]).map(message => [message.seq, message.content, message.private]);
  }
}

export type Step = fc.AsyncCommand<TalkModel, Talk>;

/** Every step that somebody can take. */
export function steps(): fc.Arbitrary<Step>[] {
  const person = fc.constantFrom(...PEOPLE);
  const agent = fc.constantFrom(...AGENTS);
  const clientId = fc.option(fc.constantFrom('one', 'two'), { nil: null });
  const said = fc.record({ by: person, note: fc.boolean(), clientId });
  const nth = fc.nat({ max: 30 });
  const which = fc.record({ own: fc.boolean(), nth });
  const way = fc.record({ room: fc.boolean(), resumes: fc.boolean(), settled: fc.boolean() });
  return [
    said.map(one => new Say([one])),
    fc.array(said, { minLength: 2, maxLength: 4 }).map(several => new Say(several)),
    fc.tuple(agent, which).map(([by, message]) => new Edit(by, message)),
    fc.tuple(agent, which).map(([by, message]) => new Unsend(by, message)),
    fc.tuple(person, nth).map(([by, upTo]) => new Read(by, upTo)),
    fc.tuple(agent, fc.constantFrom(...AGENTS, null)).map(([by, to]) => new Assign(by, to)),
    agent.map(by => new Act(by, 'take')),
    agent.map(by => new Act(by, 'resolve')),
    agent.map(by => new Act(by, 'reopen')),
    fc.tuple(person, way).map(([who, how]) => new Connect(who, how)),
    fc.tuple(person, way).map(([who, how]) => new Connect(who, { ...how, resumes: true })),
    fc.tuple(person, fc.boolean()).map(([who, goodbye]) => new Leave(who, goodbye)),
    fc.tuple(person, fc.boolean()).map(([who, room]) => new Flicker(who, room)),
    fc.constant(new Look()),
  ];
}

/** A step that can be taken in every state: what it is answered with is the model's to say. */
abstract class Anytime implements Step {
  check(): boolean {
    return true;
  }

  abstract run(model: TalkModel, real: Talk): Promise<void>;
  abstract toString(): string;
}

interface Saying {
  by: Person;
  note: boolean;
  clientId: string | null;
}

/** One says something, or several at once: then `seq` says who came first. */
class Say extends Anytime {
  constructor(private readonly sayings: readonly Saying[]) {
    super();
  }

  async run(model: TalkModel, real: Talk): Promise<void> {
    const attempts = this.sayings.map(({ by, note, clientId }, index) => {
      const hidden = note && by !== 'visitor';
      const words = unique(hidden ? 'secret' : 'said');
      return { by, note: hidden, clientId, words, index };
    });
    const answered = await Promise.all(
      attempts.map(async attempt => {
        const { by, note, clientId, words } = attempt;
        const given = clientId === null ? {} : { client_message_id: clientId };
        const answer = await real.post(by, '/messages', {
          content: words,
          ...(note ? { private: true } : {}),
          ...given,
        });
        return { attempt, answer };
      }),
    );
    // refused ones first; of twins the one that was made
    const order = ({ answer: { status, data } }: (typeof answered)[number]) =>
      status >= 400 ? -1 : (data.seq as number) * 2 + (status === 201 ? 0 : 1);
    for (const { attempt, answer } of answered.sort((a, b) => order(a) - order(b))) {
      const { by, words, note, clientId } = attempt;
      agree(`${by} says`, answer, model.say(by, words, note, clientId));
    }
  }

  toString(): string {
    const one = ({ by, note, clientId }: Saying) =>
      `${by}${note ? ' in private' : ''}${clientId ? ` as ${clientId}` : ''}`;
    return `say(${this.sayings.map(one).join(', ')})`;
  }
}

/** Which of the messages: the nth of those that the agent itself has sent, if it is to be its own and there are any; else of all. */
interface Which {
  own: boolean;
  nth: number;
}

class Edit extends Anytime {
  constructor(
    private readonly by: Agent,
    private readonly message: Which,
  ) {
    super();
  }

  async run(model: TalkModel, real: Talk): Promise<void> {
    const seq = seqOf(model, this.by, this.message);
    const words = unique(model.messages[seq - 1]?.private ? 'secret' : 'edited');
    const id = await real.messageId(seq);
    const answer = await real.api(this.by).patch<Json>(real.path(this.by, `/messages/${id}`), { content: words });
    agree(this.toString(), answer, model.edit(this.by, seq, words));
  }

  toString(): string {
    return `edit(${this.by}, ${shown(this.message)})`;
  }
}

class Unsend extends Anytime {
  constructor(
    private readonly by: Agent,
    private readonly message: Which,
  ) {
    super();
  }

  async run(model: TalkModel, real: Talk): Promise<void> {
    const seq = seqOf(model, this.by, this.message);
    const id = await real.messageId(seq);
    const answer = await real.api(this.by).delete<Json>(real.path(this.by, `/messages/${id}`));
    agree(this.toString(), answer, model.unsend(this.by, seq));
  }

  toString(): string {
    return `unsend(${this.by}, ${shown(this.message)})`;
  }
}

class Read extends Anytime {
  constructor(
    private readonly by: Person,
    private readonly upTo: number,
  ) {
    super();
  }

  async run(model: TalkModel, real: Talk): Promise<void> {
    const answer = await real.post(this.by, '/read', { seq: this.upTo });
    agree(this.toString(), answer, model.read(this.by, this.upTo));
    if (answer.status === 200) same('unread', answer.data.unread, model.unread);
  }

  toString(): string {
    return `read(${this.by}, ${this.upTo})`;
  }
}

class Assign extends Anytime {
  constructor(
    private readonly by: Agent,
    private readonly to: Agent | null,
  ) {
    super();
  }

  async run(model: TalkModel, real: Talk): Promise<void> {
    const answer = await real.post(this.by, '/assign', { member_id: real.idOf(this.to) });
    agree(this.toString(), answer, model.assign(this.by, this.to));
    if (answer.status === 200) same('the assignee', answer.data.assignee_id, real.idOf(this.to));
  }

  toString(): string {
    return `assign(${this.by}, ${this.to})`;
  }
}

class Act extends Anytime {
  constructor(
    private readonly by: Agent,
    private readonly action: 'take' | 'resolve' | 'reopen',
  ) {
    super();
  }

  async run(model: TalkModel, real: Talk): Promise<void> {
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
  /** Whether the log's reader has come to the present before, so that the cursor that is given then begins there. */
  settled: boolean;
}

/** Comes, or, when it is there already, drops out and comes back at once. */
class Connect extends Anytime {
  constructor(
    private readonly who: Person,
    private readonly way: Way,
  ) {
    super();
  }

  async run(model: TalkModel, real: Talk): Promise<void> {
    const { room, resumes, settled } = this.way;
    if (room && !model.sees(this.who)) return;
    const listener = real.listener(this.who);
    if (listener.connected) listener.drop();
    if (settled) await real.settleLog();
    await listener.connect(real.open(this.who, room), resumes);
  }

  toString(): string {
    const { room, resumes, settled } = this.way;
    const how = [...(room ? ['in the room'] : []), ...(resumes ? ['with its cursor'] : [])];
    return `connect(${[this.who, ...how, ...(settled ? ['the log settled'] : [])].join(', ')})`;
  }
}

class Flicker extends Anytime {
  constructor(
    private readonly who: Person,
    private readonly room: boolean,
  ) {
    super();
  }

  async run(model: TalkModel, real: Talk): Promise<void> {
    const listener = real.listener(this.who);
    if (listener.connected || listener.cursor === null || (this.room && !model.sees(this.who))) return;
    await listener.flicker(real.open(this.who, this.room));
  }

  toString(): string {
    return `flicker(${this.who}${this.room ? ', in the room' : ''})`;
  }
}

class Leave extends Anytime {
  constructor(
    private readonly who: Person,
    private readonly goodbye: boolean,
  ) {
    super();
  }

  async run(_model: TalkModel, real: Talk): Promise<void> {
    const listener = real.listener(this.who);
    if (!listener.connected) return;
    if (this.goodbye) await listener.leave();
    else listener.drop();
  }

  toString(): string {
    return `${this.goodbye ? 'leave' : 'drop'}(${this.who})`;
  }
}

class Look extends Anytime {
  run(model: TalkModel, real: Talk): Promise<void> {
    return real.look(model);
  }

  toString(): string {
    return 'look';
  }
}

function seqOf({ messages }: TalkModel, by: Agent, { own, nth }: Which): number {
  const owned = messages.filter(message => message.by === by);
  const among = own && owned.length > 0 ? owned : messages;
  return among[nth % among.length]?.seq ?? 1;
}

function shown({ own, nth }: Which): string {
  return `${nth}${own ? ' of its own' : ''}`;
}

function agree(what: string, { status, data, error }: Answer<Json>, expected: Expected): void {
  const answered = {
    status,
    ...(expected.code === undefined ? {} : { code: error?.code }),
    ...(expected.seq === undefined ? {} : { seq: (data as Json)?.seq as number }),
  };
  same(what, answered, expected);
}

/** Of the found, what is expected. */
function same(what: string, found: unknown, expected: unknown): void {
  const [left, right] = [picked(found, expected), expected].map(value => JSON.stringify(value));
  if (left !== right) throw new Error(`${what}: found ${left}, expected ${right}`);
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
