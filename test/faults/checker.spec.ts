import { describe, expect, it } from '@jest/globals';
import type { Invariant } from './checker.js';
import { check } from './checker.js';
import type { Ears, Hearing, HeardFrame, Operation } from './history.js';
import { History } from './history.js';
import type { EventRow, Reading } from './reading.js';

const [W, OTHER] = ['workspace', 'another workspace'];
const AGENT: Ears = { workspace: 'w1', channels: null, visitor: null, notes: true };
const VISITOR: Ears = { workspace: 'w1', channels: ['c0'], visitor: 'v0', notes: false };
const CLOSED = 'the inbox of leaver';

interface Seed {
  history: History;
  reading: Reading;
}

/**
 * A talk in which everything was kept: a visitor says something, an agent makes a note, both listen; a key is revoked, a
 * member deactivated, a ticket spent, a process stopped.
 */
function kept(): Seed {
  const history = new History();
  history.operations.push(
    operation({ who: 'v0', answer: 'm1', content: 'w1.c0.v0.said.1', startedAt: 100 }),
    operation({ who: 'owner', answer: 'm2', content: 'w1.c0.v0.note.2', startedAt: 200 }),
    operation({
      kind: 'member',
      who: 'key',
      key: 'made',
      content: 'mia@example.com',
      answer: 'member',
      startedAt: 250,
    }),
    operation({ kind: 'exchange', who: 'key', key: 'ticket', startedAt: 260 }),
    operation({ kind: 'exchange', who: 'key', key: 'ticket', outcome: 'refused', status: 401, startedAt: 270 }),
    operation({ kind: 'revoke', who: 'key', ends: 'short key', startedAt: 300 }),
    operation({ kind: 'use', who: 'short key', startedAt: 305 }),
    operation({ kind: 'use', who: 'short key', outcome: 'refused', status: 401, startedAt: 320 }),
    operation({ kind: 'deactivate', who: 'key', ends: 'leaver', startedAt: 400 }),
    operation({ kind: 'look', who: 'v0', heard: { ears: VISITOR, text: 'w1.c0.v0.said.1' }, startedAt: 500 }),
    operation({ kind: 'trespass', who: 'owner', outcome: 'refused', status: 404, startedAt: 500 }),
  );
  const typed = frame(null, '{"conversation_id":"talk"}', 1_010, 'typing');
  const told = [frame('e1', 'w1.c0.v0.said.1', 140), frame('e2', 'w1.c0.v0.note.2', 240)];
  history.hearings.push(
    hearing({ name: 'the inbox of owner', who: 'owner', frames: [...told, typed] }),
    hearing({
      name: 'v0',
      who: 'v0',
      audience: 'visitor',
      ears: VISITOR,
      contactId: 'contact',
      frames: told.slice(0, 1),
    }),
    hearing({ name: CLOSED, who: 'leaver', frames: told, closedAt: 450 }),
  );
  history.ended.push(
    { instance: 'a1', askedAt: 600, at: 900, how: 'exit 0', killed: false },
    { instance: 'a2', askedAt: null, at: 700, how: 'SIGKILL', killed: true },
  );
  const base = { instance: 'a1', heapMiB: 60, descriptors: 40, timers: 10, connections: 9 };
  history.resources.push({ ...base, after: false }, { ...base, heapMiB: 70, after: true });
  history.healedAt = 500;
  const place = { workspaceId: W, channelId: 'channel', conversationId: 'talk' };
  history.typing.push({ ...place, since: 1_000, until: 9_000, instance: null });
  const message = { conversation_id: 'talk', sender_type: 'contact', changed: false };
  const reading: Reading = {
    messages: [
      { ...message, id: 'm1', seq: 1, private: false, client_message_id: 'k1', content: 'w1.c0.v0.said.1' },
      { ...message, id: 'm2', seq: 2, private: true, client_message_id: 'k2', content: 'w1.c0.v0.note.2' },
    ],
    conversations: [{ id: 'talk', last_seq: 2 }],
    events: [
      { ...event('e0', 0, false, 10), type: 'member.created' },
      event('e1', 1, true, 130),
      event('e2', 2, false, 230),
    ],
    members: [{ workspace_id: W, email: 'mia@example.com' }],
    audited: ['e0'],
    tickets: [{ workspace_id: W, spent: 1, minted: 1 }],
  };
  return { history, reading };
}

function operation(more: Partial<Operation> & { startedAt: number }): Operation {
  return {
    kind: 'send',
    who: 'owner',
    workspaceId: W,
    instance: 'a1',
    endedAt: more.startedAt + 10,
    outcome: 'ok',
    status: 200,
    gaveUp: false,
    saysWhen: false,
    key: more.content ?? null,
    conversationId: more.content ? 'talk' : null,
    content: null,
    ends: null,
    answer: null,
    heard: null,
    ...more,
  };
}

function hearing({ closedAt = null, ...more }: Partial<Hearing> & { closedAt?: number | null }): Hearing {
  return {
    name: 'somebody',
    who: 'somebody',
    audience: 'agent',
    ears: AGENT,
    workspaceId: W,
    channelIds: null,
    conversationId: null,
    contactId: null,
    from: 0n,
    stays: [{ instance: 'a2', openedAt: 50, closedAt, code: closedAt === null ? null : 4500 }],
    frames: [],
    ...more,
  };
}

function frame(id: string | null, text: string, at: number, type = 'message.created'): HeardFrame {
  return { stay: 0, at, type, id, cursor: 'c', text };
}

function event(id: string, position: number, isPublic: boolean, committedAt: number): EventRow {
  const place = { workspace_id: W, channel_id: 'channel', conversation_id: 'talk', contact_id: 'contact' };
  return {
    id,
    type: 'message.created',
    position: `${position}`,
    ...place,
    public: isPublic,
    committed_at: committedAt,
  };
}

/** What is done to the talk in which everything was kept, and which promise that breaks. */
const PLANTED: [Invariant, string, (seed: Seed) => void][] = [
  ['I1', 'an acknowledged message is gone', ({ reading }) => void reading.messages.splice(1, 1)],
  ['I1', 'it is stored with other words', ({ reading }) => void Object.assign(reading.messages[0]!, { content: 'Ho' })],
  ['I1', 'it is in another talk', ({ reading }) => void Object.assign(reading.messages[0]!, { conversation_id: 'x' })],
  [
    'I1',
    'it is stored twice',
    ({ reading }) => void reading.messages.push({ ...reading.messages[0]!, id: 'm3', seq: 3 }),
  ],
  [
    'I1',
    'something is stored that nobody sent',
    ({ reading }) =>
      void reading.messages.push({ ...reading.messages[0]!, id: 'm3', seq: 3, content: 'w1.c0.v0.said.9' }),
  ],
  [
    'I2',
    'a retry is answered with another message',
    ({ history }) => void history.operations.push({ ...history.operations[0]!, answer: 'm2' }),
  ],
  ['I2', 'a key made two members', ({ reading }) => void reading.members.push(reading.members[0]!)],
  ['I2', 'a key was answered and made none', ({ reading }) => void reading.members.pop()],
  ['I3', 'a number is missing', ({ reading }) => void Object.assign(reading.messages[1]!, { seq: 3 })],
  ['I3', 'a number is there twice', ({ reading }) => void Object.assign(reading.messages[1]!, { seq: 1 })],
  ['I3', 'last_seq is behind', ({ reading }) => void Object.assign(reading.conversations[0]!, { last_seq: 1 })],
  ['I4', 'an agent missed an event', ({ history }) => void history.hearings[0]!.frames.splice(1, 1)],
  ['I4', 'a visitor missed an event', ({ history }) => void history.hearings[1]!.frames.pop()],
  ['I4', 'two came in the wrong order', ({ history }) => void history.hearings[0]!.frames.reverse()],
  ['I4', 'the audit log lacks an event', ({ reading }) => void reading.audited.pop()],
  [
    'I4',
    'somebody was sent to read everything anew',
    ({ history }) => void history.hearings[0]!.frames.push(frame(null, '{}', 600, 'sync.required')),
  ],
  [
    'I5',
    'an event was told that is not in the log',
    ({ history }) => void history.hearings[0]!.frames.push(frame('e3', '', 300)),
  ],
  ['I5', 'an event was told before its COMMIT', ({ reading }) => void (reading.events[1]!.committed_at = 190)],
  [
    'I6',
    'a visitor heard a note',
    ({ history }) => void history.hearings[1]!.frames.push(frame('e2', 'w1.c0.v0.note.2', 240)),
  ],
  [
    'I6',
    'an agent heard the event of a channel outside its scope',
    ({ history }) => void (history.hearings[0]!.channelIds = ['another channel']),
  ],
  [
    'I6',
    'an event of another workspace was heard',
    ({ reading }) => void Object.assign(reading.events[1]!, { workspace_id: OTHER }),
  ],
  [
    'I6',
    'the words of another workspace were heard in whatever frame',
    ({ history }) => void history.hearings[0]!.frames.push(frame(null, '"w2.c0.v0.said.7"', 300, 'typing')),
  ],
  [
    'I6',
    'the words of another visitor were read',
    ({ history }) => void (history.operations[9]!.heard!.text = 'w1.c0.v1.said.7'),
  ],
  ['I6', 'a trespasser was let in', ({ history }) => void (history.operations[10]!.outcome = 'ok')],
  ['I7', 'a ticket was spent twice', ({ history }) => void (history.operations[4]!.outcome = 'ok')],
  ['I7', 'a ticket opened two sessions', ({ reading }) => void (reading.tickets[0]!.minted = 2)],
  ['I8', 'a revoked key was let in', ({ history }) => void (history.operations[7]!.outcome = 'ok')],
  [
    'I8',
    'a deactivated member was let in two seconds later',
    ({ history }) => void history.operations.push(operation({ kind: 'use', who: 'leaver', startedAt: 2_500 })),
  ],
  ['I8', 'its socket stayed open', ({ history }) => void (history.hearings[2]!.stays[0]!.closedAt = null)],
  [
    'I8',
    'it heard what happened long after its end',
    ({ history, reading }) => {
      reading.events.push(event('e3', 3, true, 9_000));
      for (const { frames } of history.hearings) frames.push(frame('e3', '', 9_010));
    },
  ],
  ['I9', 'memory stays', ({ history }) => void (history.resources[1]!.heapMiB = 200)],
  ['I9', 'descriptors stay', ({ history }) => void (history.resources[1]!.descriptors = 200)],
  ['I9', 'timers stay', ({ history }) => void (history.resources[1]!.timers = 200)],
  ['I9', 'connections stay', ({ history }) => void (history.resources[1]!.connections = 60)],
  ['I10', 'a stop ended badly', ({ history }) => void (history.ended[0]!.how = 'SIGKILL')],
  [
    'I10',
    'a stop cut off a request',
    ({ history }) =>
      void history.operations.push(operation({ kind: 'change', startedAt: 599, outcome: 'unknown', status: 0 })),
  ],
  [
    'I10',
    'a stopping process says no without saying when to come again',
    ({ history }) =>
      void history.operations.push(operation({ kind: 'change', startedAt: 650, outcome: 'unknown', status: 503 })),
  ],
  [
    'I10',
    'a stop closed a socket with another code',
    ({ history }) => {
      history.hearings[0]!.stays.push({ instance: 'a1', openedAt: 550, closedAt: 700, code: 1006 });
    },
  ],
  [
    'I13',
    "another workspace's requests take more than ten times as long",
    ({ history }) => void history.crowding.push({ what: 'a1', calmMs: 200, crowdedMs: 2_001, refused: [] }),
  ],
  [
    'I13',
    "another workspace's login is refused",
    ({ history }) => void history.crowding.push({ what: 'a1', calmMs: 200, crowdedMs: 200, refused: ['POST 429'] }),
  ],
  ['I12', 'nobody sees who types', ({ history }) => void history.hearings[0]!.frames.pop()],
  ['I12', 'it is seen too late', ({ history }) => void (history.hearings[0]!.frames[2]!.at = 9_500)],
  ['I11', 'a process ended by itself', ({ history }) => void (history.ended[1]!.killed = false)],
  [
    'I11',
    'a rejection was left to nobody',
    ({ history }) => void history.complaints.push({ instance: 'a1', line: 'unhandled rejection' }),
  ],
  [
    'I11',
    'a fault became a 500',
    ({ history }) =>
      void history.operations.push(operation({ kind: 'change', startedAt: 50, outcome: 'unknown', status: 500 })),
  ],
];

describe('the checker', () => {
  it('has nothing to say where everything was kept', () => {
    const { history, reading } = kept();
    expect(check(history, reading)).toEqual([]);
  });

  it.each(PLANTED)('names %s when %s', (invariant, _what, plant) => {
    const seed = kept();
    plant(seed);
    const found = check(seed.history, seed.reading).map(violation => violation.invariant);
    expect([...new Set(found)]).toContain(invariant);
  });

  it('does not mind what nobody knows: requests without an answer, of which nothing or one thing came', () => {
    const { history, reading } = kept();
    const lost = { outcome: 'unknown', status: 0, answer: null, startedAt: 20 } as const;
    history.operations.unshift(operation({ ...lost, who: 'v0', content: 'w1.c0.v0.said.1' }));
    history.operations.push(operation({ ...lost, who: 'v0', content: 'w1.c0.v0.said.3' }));
    expect(check(history, reading)).toEqual([]);
  });

  it('lets a resume, and nothing else, tell what happened before the listener began after what came later', () => {
    const { history, reading } = kept();
    const listener = history.hearings[0]!;
    const [before, after] = listener.frames;
    listener.from = BigInt(reading.events[1]!.position);
    listener.frames.splice(0, 2, after!, before!);
    expect(check(history, reading).map(({ invariant }) => invariant)).toEqual(['I4']);
    before!.stay = 1;
    expect(check(history, reading)).toEqual([]);
  });

  it('wants what happened before the listener began in order by itself, over whatever socket it comes', () => {
    const { history, reading } = kept();
    const listener = history.hearings[0]!;
    const [first, second] = listener.frames;
    listener.from = BigInt(reading.events[2]!.position);
    listener.frames.splice(0, 2, second!, { ...first!, stay: 1 });
    expect(check(history, reading).map(({ invariant }) => invariant)).toEqual(['I4']);
  });

  it('drops repeats by their id', () => {
    const { history, reading } = kept();
    history.hearings[0]?.frames.push(frame('e1', 'w1.c0.v0.said.1', 300));
    expect(check(history, reading)).toEqual([]);
  });
});
