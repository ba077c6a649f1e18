import fc from 'fast-check';
import type { Answer } from './http.js';
import type { Json } from './json.js';
import type { Agent, ConversationModel, Expected, Person } from './conversation-model.js';
import { PERSONS } from './conversation-model.js';
import type { LiveConversation } from './live-conversation.js';
import { same } from './live-conversation.js';
import { unique } from './world.js';

const AGENTS = ['owner', 'colleague'] as const;

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
    message.map(one => send([one])),
    fc.array(message, { minLength: 2, maxLength: 4 }).map(send),
    fc.tuple(agent, selection).map(([by, message]) => edit(by, message)),
    fc.tuple(agent, selection).map(([by, message]) => unsend(by, message)),
    fc.tuple(person, nth).map(([by, upTo]) => read(by, upTo)),
    fc.tuple(agent, fc.constantFrom(...AGENTS, null)).map(([by, to]) => assign(by, to)),
    agent.map(by => transition(by, 'take')),
    agent.map(by => transition(by, 'resolve')),
    agent.map(by => transition(by, 'reopen')),
    fc.tuple(person, way).map(([person, how]) => connect(person, how)),
    fc.tuple(person, way).map(([person, how]) => connect(person, { ...how, resumes: true })),
    fc.tuple(person, fc.boolean()).map(([by, goodbye]) => leave(by, goodbye)),
    fc.tuple(person, fc.boolean()).map(([by, room]) => flicker(by, room)),
    fc.constant(step('look', (model, real) => real.compare(model))),
  ];
}

/** A step that is valid in every state. The model decides the expected response. */
function step(description: string, run: Step['run']): Step {
  return { check: () => true, run, toString: () => description };
}

/**
 * A step of one request. `run` sends it and then asks the model; `shown` names a field of a successful response, as it
 * is and as the model expects it.
 */
function request(
  description: string,
  run: (model: ConversationModel, real: LiveConversation) => Promise<[Answer<Json>, Expected]>,
  shown?: (data: Json, model: ConversationModel, real: LiveConversation) => [found: unknown, expected: unknown],
): Step {
  return step(description, async (model, real) => {
    const [answer, expected] = await run(model, real);
    agree(description, answer, expected);
    if (answer.status === 200 && shown) same(`the response to ${description}`, ...shown(answer.data, model, real));
  });
}

interface PlannedMessage {
  by: Person;
  isPrivate: boolean;
  clientId: string | null;
}

/** Sends one message, or several concurrently; then `seq` decides their order. */
function send(messages: readonly PlannedMessage[]): Step {
  const describe = ({ by, isPrivate, clientId }: PlannedMessage) =>
    `${by}${isPrivate ? ' privately' : ''}${clientId ? ` as ${clientId}` : ''}`;
  return step(`send(${messages.map(describe).join(', ')})`, async (model, real) => {
    const answered = await Promise.all(
      messages.map(async ({ by, isPrivate, clientId }) => {
        const hidden = isPrivate && by !== 'visitor';
        const words = unique(hidden ? 'secret' : 'said');
        const answer = await real.post(by, '/messages', {
          content: words,
          ...(hidden && { private: true }),
          ...(clientId !== null && { client_message_id: clientId }),
        });
        return { answer, by, expected: () => model.send(by, words, hidden, clientId) };
      }),
    );
    // Refused sends first; of two with one client id, the one that created the message first.
    const order = ({ answer: { status, data } }: (typeof answered)[number]) =>
      status >= 400 ? -1 : (data.seq as number) * 2 + (status === 201 ? 0 : 1);
    for (const { answer, by, expected } of answered.sort((a, b) => order(a) - order(b))) {
      agree(`${by} sends`, answer, expected());
    }
  });
}

function edit(by: Agent, selection: MessageSelection): Step {
  return request(`edit(${by}, ${describeSelection(selection)})`, async (model, real) => {
    const seq = selectedSeq(model, by, selection);
    const content = unique(model.messages[seq - 1]?.private ? 'secret' : 'edited');
    const path = real.path(by, `/messages/${await real.messageId(seq)}`);
    return [await real.api(by).patch<Json>(path, { content }), model.edit(by, seq, content)];
  });
}

function unsend(by: Agent, selection: MessageSelection): Step {
  return request(`unsend(${by}, ${describeSelection(selection)})`, async (model, real) => {
    const seq = selectedSeq(model, by, selection);
    const path = real.path(by, `/messages/${await real.messageId(seq)}`);
    return [await real.api(by).delete<Json>(path), model.unsend(by, seq)];
  });
}

function read(by: Person, upTo: number): Step {
  return request(
    `read(${by}, ${upTo})`,
    async (model, real) => [await real.post(by, '/read', { seq: upTo }), model.read(by, upTo)],
    ({ unread }, model) => [unread, model.unread],
  );
}

function assign(by: Agent, to: Agent | null): Step {
  return request(
    `assign(${by}, ${to})`,
    async (model, real) => [await real.post(by, '/assign', { member_id: real.idOf(to) }), model.assign(by, to)],
    ({ assignee_id }, _model, real) => [assignee_id, real.idOf(to)],
  );
}

function transition(by: Agent, action: 'take' | 'resolve' | 'reopen'): Step {
  return request(
    `${action}(${by})`,
    async (model, real) => [await real.post(by, `/${action}`), model[action](by)],
    ({ status }, model) => [status, model.status],
  );
}

interface Way {
  room: boolean;
  resumes: boolean;
  /** True if the event tail caught up before, so that the cursor starts at the present. */
  settled: boolean;
}

/** Connects; if already connected, drops the connection and reconnects at once. */
function connect(person: Person, { room, resumes, settled }: Way): Step {
  const how = [...(room ? ['in the room'] : []), ...(resumes ? ['with a cursor'] : [])];
  const description = `connect(${[person, ...how, ...(settled ? ['log caught up'] : [])].join(', ')})`;
  return step(description, async (model, real) => {
    if (room && !model.sees(person)) return;
    const listener = real.listener(person);
    if (listener.connected) listener.drop();
    if (settled) await real.settleLog();
    await listener.connect(real.open(person, room), resumes);
  });
}

function flicker(person: Person, room: boolean): Step {
  return step(`flicker(${person}${room ? ', in the room' : ''})`, async (model, real) => {
    const listener = real.listener(person);
    if (listener.connected || listener.cursor === null || (room && !model.sees(person))) return;
    await listener.flicker(real.open(person, room));
  });
}

function leave(person: Person, goodbye: boolean): Step {
  return step(`${goodbye ? 'leave' : 'drop'}(${person})`, async (_model, real) => {
    const listener = real.listener(person);
    if (!listener.connected) return;
    if (goodbye) await listener.leave();
    else listener.drop();
  });
}

/** Selects the nth message: of those the agent sent if `byAuthor` is set and there are any, else of all. */
interface MessageSelection {
  byAuthor: boolean;
  nth: number;
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
