import { describe, expect, it } from '@jest/globals';
import type { Invariant } from './checker.js';
import { check } from './checker.js';
import type { Visibility, Subscription, ReceivedFrame, Operation } from './history.js';
import { History } from './history.js';
import { addFlawlessDesk, flawlessDeskReading, PLANTED_IN_DESK } from './planted-desk.js';
import { addFlawlessServers, PART, PLANTED_IN_SERVERS } from './planted-servers.js';
import type { EventRow, Reading } from './reading.js';

const [W, OTHER] = ['workspace', 'another workspace'];
const AGENT: Visibility = { workspace: 'w1', channels: null, visitor: null, privateNotes: true };
const VISITOR: Visibility = { workspace: 'w1', channels: ['c0'], visitor: 'v0', privateNotes: false };
const CLOSED = 'the inbox of leaver';

interface Seed {
  history: History;
  reading: Reading;
}

/**
 * A history without violations: a visitor sends a message, an agent adds a private note, both listen; a key is revoked,
 * a member deactivated, a ticket spent, a process stopped.
 */
function flawlessSeed(): Seed {
  const history = new History();
  history.operations.push(
    operation({ actor: 'v0', answer: 'm1', content: 'w1.c0.v0.said.1', startedAt: 100 }),
    operation({ actor: 'owner', answer: 'm2', content: 'w1.c0.v0.note.2', startedAt: 200 }),
    operation({
      kind: 'member',
      actor: 'key',
      key: 'made',
      content: 'mia@example.com',
      answer: 'member',
      startedAt: 250,
    }),
    operation({ kind: 'exchange', actor: 'key', key: 'ticket', startedAt: 260 }),
    operation({ kind: 'exchange', actor: 'key', key: 'ticket', outcome: 'refused', status: 401, startedAt: 270 }),
    operation({ kind: 'revoke', actor: 'key', ends: 'short key', startedAt: 300 }),
    operation({ kind: 'use', actor: 'short key', startedAt: 305 }),
    operation({ kind: 'use', actor: 'short key', outcome: 'refused', status: 401, startedAt: 320 }),
    operation({ kind: 'deactivate', actor: 'key', ends: 'leaver', startedAt: 400 }),
    operation({
      kind: 'look',
      actor: 'v0',
      visibleText: { visibility: VISITOR, text: 'w1.c0.v0.said.1' },
      startedAt: 500,
    }),
    operation({ kind: 'trespass', actor: 'owner', outcome: 'refused', status: 404, startedAt: 500 }),
  );
  const typed = frame(null, '{"conversation_id":"talk"}', 1_010, 'typing');
  const messageFrames = [frame('e1', 'w1.c0.v0.said.1', 140), frame('e2', 'w1.c0.v0.note.2', 240)];
  history.subscriptions.push(
    subscription({ name: 'the inbox of owner', actor: 'owner', frames: [...messageFrames, typed] }),
    subscription({
      name: 'v0',
      actor: 'v0',
      audience: 'visitor',
      visibility: VISITOR,
      contactId: 'contact',
      frames: messageFrames.slice(0, 1),
    }),
    subscription({ name: CLOSED, actor: 'leaver', frames: messageFrames, closedAt: 450 }),
  );
  history.ended.push(
    { instance: 'a1', stopRequestedAt: 600, at: 900, how: 'exit 0', killed: false },
    { instance: 'a2', stopRequestedAt: null, at: 700, how: 'SIGKILL', killed: true },
  );
  const base = { instance: 'a1', heapMiB: 60, descriptors: 40, timers: 10, connections: 9 };
  history.resources.push({ ...base, after: false }, { ...base, heapMiB: 70, after: true });
  history.healedAt = 500;
  const ids = { workspaceId: W, channelId: 'channel', conversationId: 'talk' };
  history.typing.push({ ...ids, since: 1_000, until: 9_000, instance: null });
  addFlawlessDesk(history);
  const message = { conversation_id: 'talk', sender_type: 'contact', changed: false, truncated: false };
  const reading: Reading = {
    messages: [
      { ...message, id: 'm1', seq: 1, private: false, client_message_id: 'k1', content: 'w1.c0.v0.said.1' },
      { ...message, id: 'm2', seq: 2, private: true, client_message_id: 'k2', content: 'w1.c0.v0.note.2' },
    ],
    conversations: [{ id: 'talk', last_seq: 2, status: 'open', assignee_id: 'ada' }],
    events: [
      { ...event('e0', 0, false, 10), type: 'member.created' },
      event('e1', 1, true, 130),
      event('e2', 2, false, 230),
    ],
    members: [{ workspace_id: W, email: 'mia@example.com' }],
    audited: ['e0'],
    tickets: [{ workspace_id: W, spent: 1, minted: 1 }],
    turns: [],
    deliveries: [],
    ...flawlessDeskReading(),
  };
  addFlawlessServers({ history, reading }, W);
  return { history, reading };
}

function operation(more: Partial<Operation> & { startedAt: number }): Operation {
  return {
    kind: 'send',
    actor: 'owner',
    workspaceId: W,
    instance: 'a1',
    endedAt: more.startedAt + 10,
    outcome: 'ok',
    status: 200,
    gaveUp: false,
    hasRetryAfter: false,
    key: more.content ?? null,
    conversationId: more.content ? 'talk' : null,
    content: null,
    ends: null,
    answer: null,
    visibleText: null,
    ...more,
  };
}

function subscription({
  closedAt = null,
  ...more
}: Partial<Subscription> & { closedAt?: number | null }): Subscription {
  return {
    name: 'somebody',
    actor: 'somebody',
    audience: 'agent',
    visibility: AGENT,
    workspaceId: W,
    channelIds: null,
    conversationId: null,
    contactId: null,
    from: 0n,
    connections: [{ instance: 'a2', openedAt: 50, closedAt, code: closedAt === null ? null : 4500 }],
    frames: [],
    ...more,
  };
}

function frame(id: string | null, text: string, at: number, type = 'message.created'): ReceivedFrame {
  return { connection: 0, at, type, id, cursor: 'c', text };
}

function event(id: string, position: number, isPublic: boolean, committedAt: number): EventRow {
  const ids = { workspace_id: W, channel_id: 'channel', conversation_id: 'talk', contact_id: 'contact' };
  return {
    id,
    type: 'message.created',
    position: `${position}`,
    ...ids,
    public: isPublic,
    committed_at: committedAt,
  };
}

/** Changes to the flawless history, each with the promise that it breaks. */
const PLANTED: [Invariant, string, (seed: Seed) => void][] = [
  ['I1', 'an acknowledged message is missing', ({ reading }) => void reading.messages.splice(1, 1)],
  [
    'I1',
    'a message is stored with another text',
    ({ reading }) => void Object.assign(reading.messages[0]!, { content: 'Ho' }),
  ],
  [
    'I1',
    'a message is in another conversation',
    ({ reading }) => void Object.assign(reading.messages[0]!, { conversation_id: 'x' }),
  ],
  [
    'I1',
    'a message is stored twice',
    ({ reading }) => void reading.messages.push({ ...reading.messages[0]!, id: 'm3', seq: 3 }),
  ],
  [
    'I1',
    'a message is stored that nobody sent',
    ({ reading }) =>
      void reading.messages.push({ ...reading.messages[0]!, id: 'm3', seq: 3, content: 'w1.c0.v0.said.9' }),
  ],
  [
    'I2',
    'a retry returns another message',
    ({ history }) => void history.operations.push({ ...history.operations[0]!, answer: 'm2' }),
  ],
  ['I2', 'one key created two members', ({ reading }) => void reading.members.push(reading.members[0]!)],
  ['I2', 'a key was acknowledged and created no member', ({ reading }) => void reading.members.pop()],
  ['I3', 'a seq is missing', ({ reading }) => void Object.assign(reading.messages[1]!, { seq: 3 })],
  ['I3', 'a seq occurs twice', ({ reading }) => void Object.assign(reading.messages[1]!, { seq: 1 })],
  ['I3', 'last_seq is too low', ({ reading }) => void Object.assign(reading.conversations[0]!, { last_seq: 1 })],
  ['I4', 'an agent missed an event', ({ history }) => void history.subscriptions[0]!.frames.splice(1, 1)],
  ['I4', 'a visitor missed an event', ({ history }) => void history.subscriptions[1]!.frames.pop()],
  ['I4', 'two events arrived in the wrong order', ({ history }) => void history.subscriptions[0]!.frames.reverse()],
  ['I4', 'the audit log lacks an event', ({ reading }) => void reading.audited.pop()],
  [
    'I4',
    'a client received sync.required',
    ({ history }) => void history.subscriptions[0]!.frames.push(frame(null, '{}', 600, 'sync.required')),
  ],
  [
    'I5',
    'a client received an event that is not in the log',
    ({ history }) => void history.subscriptions[0]!.frames.push(frame('e3', '', 300)),
  ],
  ['I5', 'an event was delivered before its COMMIT', ({ reading }) => void (reading.events[1]!.committed_at = 190)],
  [
    'I6',
    'a visitor received a private note',
    ({ history }) => void history.subscriptions[1]!.frames.push(frame('e2', 'w1.c0.v0.note.2', 240)),
  ],
  [
    'I6',
    'an agent received an event of a channel outside its scope',
    ({ history }) => void (history.subscriptions[0]!.channelIds = ['another channel']),
  ],
  [
    'I6',
    'a client received an event of another workspace',
    ({ reading }) => void Object.assign(reading.events[1]!, { workspace_id: OTHER }),
  ],
  [
    'I6',
    'a client received a text of another workspace in any frame',
    ({ history }) => void history.subscriptions[0]!.frames.push(frame(null, '"w2.c0.v0.said.7"', 300, 'typing')),
  ],
  [
    'I6',
    'a visitor read the text of another visitor',
    ({ history }) => void (history.operations[9]!.visibleText!.text = 'w1.c0.v1.said.7'),
  ],
  ['I6', 'a forbidden request succeeded', ({ history }) => void (history.operations[10]!.outcome = 'ok')],
  ['I7', 'a ticket was spent twice', ({ history }) => void (history.operations[4]!.outcome = 'ok')],
  ['I7', 'a ticket started two sessions', ({ reading }) => void (reading.tickets[0]!.minted = 2)],
  ['I8', 'a revoked key was accepted', ({ history }) => void (history.operations[7]!.outcome = 'ok')],
  [
    'I8',
    'a deactivated member was accepted two seconds later',
    ({ history }) => void history.operations.push(operation({ kind: 'use', actor: 'leaver', startedAt: 2_500 })),
  ],
  [
    'I8',
    'the socket of a deactivated member stayed open',
    ({ history }) => void (history.subscriptions[2]!.connections[0]!.closedAt = null),
  ],
  [
    'I8',
    'a deactivated member received later events',
    ({ history, reading }) => {
      reading.events.push(event('e3', 3, true, 9_000));
      for (const { frames } of history.subscriptions) frames.push(frame('e3', '', 9_010));
    },
  ],
  [
    'I8',
    'a deactivated member received later events long after the database answered again',
    ({ history, reading }) => {
      history.databaseBackAt = 4_000;
      reading.events.push(event('e3', 3, true, 9_000));
      for (const { frames } of history.subscriptions) frames.push(frame('e3', '', 9_010));
    },
  ],
  ['I9', 'memory grows', ({ history }) => void (history.resources[1]!.heapMiB = 200)],
  ['I9', 'descriptors grow', ({ history }) => void (history.resources[1]!.descriptors = 200)],
  ['I9', 'timers grow', ({ history }) => void (history.resources[1]!.timers = 200)],
  ['I9', 'connections grow', ({ history }) => void (history.resources[1]!.connections = 60)],
  ['I10', 'a stop ended with a signal', ({ history }) => void (history.ended[0]!.how = 'SIGKILL')],
  [
    'I10',
    'a stop cut off a request',
    ({ history }) =>
      void history.operations.push(operation({ kind: 'change', startedAt: 599, outcome: 'unknown', status: 0 })),
  ],
  [
    'I10',
    'a stopping process answered 503 without Retry-After',
    ({ history }) =>
      void history.operations.push(operation({ kind: 'change', startedAt: 650, outcome: 'unknown', status: 503 })),
  ],
  [
    'I10',
    'a stop closed a socket with another code',
    ({ history }) => {
      history.subscriptions[0]!.connections.push({ instance: 'a1', openedAt: 550, closedAt: 700, code: 1006 });
    },
  ],
  [
    'I13',
    'requests of another workspace take more than ten times as long',
    ({ history }) => void history.crowding.push({ description: 'a1', calmMs: 200, crowdedMs: 2_001, refused: [] }),
  ],
  [
    'I13',
    'a login of another workspace is refused',
    ({ history }) =>
      void history.crowding.push({ description: 'a1', calmMs: 200, crowdedMs: 200, refused: ['POST 429'] }),
  ],
  ['I12', 'nobody sees the typing visitor', ({ history }) => void history.subscriptions[0]!.frames.pop()],
  ['I12', 'typing arrives too late', ({ history }) => void (history.subscriptions[0]!.frames[2]!.at = 9_500)],
  ['I11', 'a process ended by itself', ({ history }) => void (history.ended[1]!.killed = false)],
  [
    'I11',
    'there was an unhandled rejection',
    ({ history }) => void history.complaints.push({ instance: 'a1', line: 'unhandled rejection' }),
  ],
  [
    'I11',
    'a fault caused a 500',
    ({ history }) =>
      void history.operations.push(operation({ kind: 'change', startedAt: 50, outcome: 'unknown', status: 500 })),
  ],
];

describe('The checker', () => {
  it('The checker reports nothing for a flawless history.', () => {
    const { history, reading } = flawlessSeed();
    expect(check(history, reading)).toEqual([]);
  });

  it.each([...PLANTED, ...PLANTED_IN_DESK, ...PLANTED_IN_SERVERS])(
    'The checker reports %s when %s.',
    (invariant, _case, plant) => {
      const seed = flawlessSeed();
      plant(seed);
      const found = check(seed.history, seed.reading).map(violation => violation.invariant);
      expect([...new Set(found)]).toContain(invariant);
    },
  );

  it('The checker accepts either outcome of a request that was not answered.', () => {
    const { history, reading } = flawlessSeed();
    const lost = { outcome: 'unknown', status: 0, answer: null, startedAt: 20 } as const;
    history.operations.unshift(operation({ ...lost, actor: 'v0', content: 'w1.c0.v0.said.1' }));
    history.operations.push(operation({ ...lost, actor: 'v0', content: 'w1.c0.v0.said.3' }));
    expect(check(history, reading)).toEqual([]);
  });

  it("The checker accepts events from before a subscription's start after later ones only if a resume delivers them.", () => {
    const { history, reading } = flawlessSeed();
    const listener = history.subscriptions[0]!;
    const [before, after] = listener.frames;
    listener.from = BigInt(reading.events[1]!.position);
    listener.frames.splice(0, 2, after!, before!);
    expect(check(history, reading).map(({ invariant }) => invariant)).toEqual(['I4']);
    before!.connection = 1;
    expect(check(history, reading)).toEqual([]);
  });

  it("The checker requires events from before a subscription's start to be in order among themselves, over any socket.", () => {
    const { history, reading } = flawlessSeed();
    const listener = history.subscriptions[0]!;
    const [first, second] = listener.frames;
    listener.from = BigInt(reading.events[2]!.position);
    listener.frames.splice(0, 2, second!, { ...first!, connection: 1 });
    expect(check(history, reading).map(({ invariant }) => invariant)).toEqual(['I4']);
  });

  it("The checker accepts part of a bot's answer only if its conversation was handed off.", () => {
    const { history, reading } = flawlessSeed();
    const answer = reading.messages.find(({ id }) => id === 'a1')!;
    Object.assign(answer, PART);
    reading.turns[0]!.state = 'failed';
    const found = () => check(history, reading).filter(({ invariant }) => invariant === 'I23').length;
    expect(found()).toBeGreaterThan(0);
    reading.timeline.push({ ...reading.timeline[0]!, conversation_id: 'ask', event: 'handed_over' });
    expect(found()).toBe(0);
  });

  it('The checker ignores repeated events with the same id.', () => {
    const { history, reading } = flawlessSeed();
    history.subscriptions[0]?.frames.push(frame('e1', 'w1.c0.v0.said.1', 300));
    expect(check(history, reading)).toEqual([]);
  });
});
