import type { Invariant } from './checker.js';
import type { Arrivals, History } from './history.js';
import type { MessageRow, Reading } from './reading.js';

interface Seed {
  history: History;
  reading: Reading;
}

/**
 * Adds a webhook that received two events, the first twice, and a bot that answered two messages, the second by a
 * message of its own after its server had taken it.
 */
export function addFlawlessServers({ history, reading }: Seed, workspaceId: string): void {
  history.webhooks.push({ id: 'hook', workspaceId, from: 0n, received: ['e1', 'e1', 'e2'], unsigned: 0 });
  const answers = new Map([
    ['t1', { contents: ['w1.c2.v5.said.5'], isLater: false }],
    ['t3', { contents: ['w1.c2.v5.said.6'], isLater: true }],
  ]);
  history.bots.push({ id: 'bot', workspaceId, received: ['t1', 't1', 't3'], answers, unsigned: 0 });
  const asked = { conversation_id: 'ask', sender_type: 'contact', changed: false, truncated: false, private: false };
  const answered = { ...asked, sender_type: 'bot' };
  reading.messages.push(
    { ...asked, id: 'q1', seq: 1, client_message_id: null, content: 'w1.c2.v5.said.3' },
    { ...answered, id: 'a1', seq: 2, client_message_id: 't1:1', content: 'w1.c2.v5.said.5' },
    { ...asked, id: 'q3', seq: 3, client_message_id: null, content: 'w1.c2.v5.said.4' },
    { ...answered, id: 'a3', seq: 4, client_message_id: 'later-t3', content: 'w1.c2.v5.said.6' },
  );
  reading.conversations.push({ id: 'ask', last_seq: 4, status: 'pending', assignee_id: null });
  const status = { from: null, to: 'pending' };
  const begun = { status, assignee_id: { from: null, to: null } };
  reading.serviceChanges.push({ conversation_id: 'ask', actor: 'contact', changes: begun, member: null });
  const turn = { kind: 'message' as const, bot_id: 'bot', conversation_id: 'ask', state: 'answered' };
  reading.turns.push({ ...turn, id: 't1', message_id: 'q1', seq: 1 }, { ...turn, id: 't3', message_id: 'q3', seq: 3 });
  reading.deliveries.push(
    { webhook_id: 'hook', event_id: 'e1', statuses: ['delivered'] },
    { webhook_id: 'hook', event_id: 'e2', statuses: ['delivered'] },
  );
}

/** Part of an answer, as it is stored after its stream broke. */
export const PART = { content: 'w1.c2.v5.sa', truncated: true };

/** Changes to the flawless history, each with the invariant that it breaks. */
export const PLANTED_IN_SERVERS: [Invariant, string, (seed: Seed) => void][] = [
  ['I22', 'an event did not reach the endpoint', ({ history }) => arrive(history.webhooks, 'e1')],
  ['I22', 'an event arrived that was never committed', ({ history }) => arrive(history.webhooks, 'e1', 'e2', 'x')],
  ['I22', 'a later event arrived first', ({ history }) => arrive(history.webhooks, 'e2', 'e1')],
  ['I22', 'a delivery had no valid signature', ({ history }) => forge(history.webhooks)],
  ['I22', 'a delivery is pending', ({ reading }) => void (reading.deliveries[0]!.statuses = ['pending'])],
  ['I22', 'an event was queued twice', ({ reading }) => void reading.deliveries[0]!.statuses.push('delivered')],
  ['I23', 'a turn never ended', ({ reading }) => void (reading.turns[0]!.state = 'open')],
  ['I23', 'a turn failed without a handoff', ({ reading }) => void (reading.turns[0]!.state = 'failed')],
  ['I23', 'a turn was answered and never delivered', ({ history }) => void history.bots[0]!.answers.delete('t1')],
  ['I23', 'an answer is missing', ({ reading }) => void (reading.messages.find(({ id }) => id === 'a1')!.content = '')],
  ['I23', 'an answer is stored twice', ({ reading }) => void repeatAnswer(reading, 'a1')],
  ['I23', 'a later answer is stored twice', ({ reading }) => void repeatAnswer(reading, 'a3')],
  ['I23', 'an answer has another key', ({ reading }) => void (keyed(reading).client_message_id = 't1:2')],
  [
    'I23',
    'a stored answer differs from those of the bot',
    ({ history }) => void (history.bots[0]!.answers.get('t1')!.contents = []),
  ],
  ['I23', 'part of an answer is stored without a handoff', ({ reading }) => repeatAnswer(reading, 'a1', PART)],
  ['I23', 'a later turn arrived first', ({ history }) => arrive(history.bots, 't3', 't1')],
  ['I23', 'a turn has no row', ({ history }) => arrive(history.bots, 't1', 't3', 'x')],
  ['I23', 'a message became no turn', ({ reading }) => void reading.turns.pop()],
  ['I23', 'a message became two turns', ({ reading }) => void reading.turns.push({ ...reading.turns[0]!, id: 't9' })],
  ['I23', 'a turn had no valid signature', ({ history }) => forge(history.bots)],
];

function arrive(servers: Arrivals[], ...received: string[]): void {
  Object.assign(servers[0]!, { received });
}

function forge(servers: Arrivals[]): void {
  Object.assign(servers[0]!, { unsigned: 1 });
}

function keyed({ messages }: Reading) {
  return messages.find(({ id }) => id === 'a1')!;
}

function repeatAnswer({ messages }: Reading, answerId: string, change: Partial<MessageRow> = {}): void {
  messages.push({ ...messages.find(({ id }) => id === answerId)!, id: 'again', seq: 5, ...change });
}
