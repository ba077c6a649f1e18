import type { Invariant } from './checker.js';
import type { ServiceChange, TimelineRow } from './desk-reading.js';
import type { History } from './history.js';
import type { Reading } from './reading.js';

interface Seed {
  history: History;
  reading: Reading;
}

const AT = 100_000;
const HOUR_MS = 3_600_000;

/** Adds a desk without violations to the clients' view: a timer, an hour of the clock, a wait, two mails and a file. */
export function addFlawlessDesk(history: History): void {
  history.clocks.push({ at: 20_000, aheadMs: HOUR_MS });
  history.expectedEntries.push({ conversationId: 'talk', event: 'woken' });
  history.timersLeft.push({ at: AT, timers: [] });
  history.waits.push({ conversationId: 'talk', memberId: 'ada', ms: 900, bus: true });
  const file = { id: 'file', size: 7 };
  history.files.push({
    acknowledged: [file],
    rows: [{ ...file, state: 'ready' }],
    stored: [{ ...file }],
    usages: [{ stored: 7, actual: 7 }],
  });
  history.expectedMails.push({ address: 'mia@example.com', goneAt: null }, { address: 'gone', goneAt: 700 });
  const attempt = { address: 'mia@example.com', messageId: 'mail@desk.example.com', at: 600 };
  history.receivedMails.push(attempt, { ...attempt, at: 800 });
}

/**
 * Rows of that desk: a conversation was assigned by the service, resolved, reopened, snoozed for half an hour, and then
 * moved to another member.
 */
export function flawlessDeskReading() {
  return {
    at: AT,
    timeline: [
      entry('assigned', 10_000, { assignee_id: 'mia' }),
      entry('resolved', 11_000),
      entry('reopened', 12_000),
      entry('snoozed', 13_000, { until: 13_000 + HOUR_MS / 2 }),
      entry('woken', 21_000, { reason: 'snooze_ended' }),
      entry('assigned', 22_000, { assignee_id: 'ada' }),
    ],
    serviceChanges: [
      { conversation_id: null, actor: 'member', changes: null, member: { id: 'ada', capacity: 1 } },
      change('member', { status: { from: null, to: 'open' }, assignee_id: { from: null, to: null } }),
      change('system', { assignee_id: { from: null, to: 'mia' } }),
      change('member', { status: { from: 'open', to: 'resolved' } }),
      change('contact', { status: { from: 'resolved', to: 'open' } }),
      change('member', { status: { from: 'open', to: 'snoozed' } }),
      change('system', { status: { from: 'snoozed', to: 'open' } }),
      change('system', { assignee_id: { from: 'mia', to: 'ada' } }),
    ],
    timers: [{ kind: 'snooze', id: 'other', due_at: AT - 1_000 }],
    counts: [{ name: 'the load of ada', stored: 1, actual: 1 }],
    searched: [
      { id: 'hello', content: 'Hello, Mia', segment: 36, lexemes: ['10/hello', '10/mia'] },
      { id: 'unsent', content: null, segment: null, lexemes: [] },
    ],
    mails: [
      { id: 'mail', status: 'sent', has_data: false },
      { id: 'later', status: 'pending', has_data: true },
    ],
  };
}

function entry(event: string, createdAt: number, more: Partial<TimelineRow> = {}): TimelineRow {
  return {
    conversation_id: 'talk',
    event,
    reason: null,
    until: null,
    assignee_id: null,
    created_at: createdAt,
    ...more,
  };
}

function change(actor: string, changes: ServiceChange['changes']): ServiceChange {
  return { conversation_id: 'talk', actor, changes, member: null };
}

/** Changes to the flawless history, each with the invariant that it breaks. */
export const PLANTED_IN_DESK: [Invariant, string, (seed: Seed) => void][] = [
  ['I14', 'a snooze ended twice', ({ reading }) => void reading.timeline.splice(4, 0, reading.timeline[4]!)],
  [
    'I14',
    'a conversation was resolved twice',
    ({ reading }) => void reading.timeline.splice(1, 0, reading.timeline[1]!),
  ],
  ['I14', 'a snooze never ended', ({ reading }) => void reading.timeline.splice(4, 1)],
  [
    'I14',
    'a snooze ended before its time',
    ({ reading }) => void Object.assign(reading.timeline[3]!, { until: 30_000 + HOUR_MS }),
  ],
  ['I14', 'a snooze ended before the clocks moved', ({ history }) => void (history.clocks[0]!.at = 22_000)],
  [
    'I14',
    'a conversation has another state than its timeline',
    ({ reading }) => void Object.assign(reading.conversations[0]!, { status: 'snoozed' }),
  ],
  [
    'I14',
    'a timer left no entry',
    ({ history }) => void history.expectedEntries.push({ conversationId: 'other', event: 'resolved' }),
  ],
  ['I14', 'a row is due at the end', ({ reading }) => void (reading.timers[0]!.due_at = AT - 13_000)],
  [
    'I14',
    'a row was due at the end of the day',
    ({ history }) => void history.timersLeft[0]!.timers.push({ kind: 'idle timer', id: 'talk', due_at: 0 }),
  ],
  [
    'I15',
    'the service assigned a conversation that was served',
    ({ reading }) => {
      reading.serviceChanges.push(change('system', { assignee_id: { from: 'ada', to: 'mia' } }));
      reading.timeline.push(entry('assigned', 23_000, { assignee_id: 'mia' }));
      Object.assign(reading.conversations[0]!, { assignee_id: 'mia' });
    },
  ],
  [
    'I15',
    'the service passed a capacity',
    ({ reading }) => void (reading.serviceChanges[0]!.member = { id: 'ada', capacity: 0 }),
  ],
  ['I15', 'an assignment has no timeline entry', ({ reading }) => void reading.timeline.pop()],
  ['I15', 'an assignment has two timeline entries', ({ reading }) => void reading.timeline.push(reading.timeline[5]!)],
  [
    'I15',
    'a conversation has another assignee than its last assignment',
    ({ reading }) => void Object.assign(reading.conversations[0]!, { assignee_id: 'mia' }),
  ],
  [
    'I15',
    'a change began from a state that was over',
    ({ reading }) => void (reading.serviceChanges[6]!.changes!.status!.from = 'resolved'),
  ],
  ['I16', 'a load differs from its recount', ({ reading }) => void (reading.counts[0]!.stored = 2)],
  ['I17', 'a conversation waited while a member was free', ({ history }) => void (history.waits[0]!.ms = 4_500)],
  [
    'I17',
    'a conversation waited for too long without Redis',
    ({ history }) => void Object.assign(history.waits[0]!, { ms: 5_500, bus: false }),
  ],
  ['I18', 'a mail never arrived', ({ history }) => void history.receivedMails.splice(0)],
  [
    'I18',
    'the second attempt has another Message-ID',
    ({ history, reading }) => {
      history.receivedMails[1]!.messageId = 'other@desk.example.com';
      reading.mails.push({ id: 'other', status: 'sent', has_data: false });
    },
  ],
  ['I18', 'a mail has the Message-ID of no row', ({ reading }) => void (reading.mails[0]!.id = 'other')],
  [
    'I18',
    'a mail arrived after its reason was gone',
    ({ history }) => void history.receivedMails.push({ ...history.receivedMails[0]!, address: 'gone', at: 710 }),
  ],
  ['I18', 'a sent mail keeps its data', ({ reading }) => void (reading.mails[0]!.has_data = true)],
  ['I19', 'the index misses a word', ({ reading }) => void reading.searched[0]!.lexemes.pop()],
  ['I19', 'the index misses a message', ({ reading }) => void (reading.searched[0]!.lexemes = [])],
  ['I19', 'a message is in no segment of its time', ({ reading }) => void (reading.searched[0]!.segment = null)],
  [
    'I19',
    'a word of an unsent message is in the index',
    ({ reading }) => void reading.searched[1]!.lexemes.push('10/hello'),
  ],
  [
    'I21',
    'an acknowledged file has no row',
    ({ history }) => void (history.files[0]!.acknowledged[0] = { id: 'x', size: 7 }),
  ],
  ['I21', 'a file is cut short in the store', ({ history }) => void (history.files[0]!.stored[0]!.size = 6)],
  [
    'I21',
    'a failed upload is left',
    ({ history }) => void history.files[0]!.rows.push({ id: 'x', size: 7, state: 'uploading' }),
  ],
  ['I21', 'a stored file has no row', ({ history }) => void history.files[0]!.stored.push({ id: 'x', size: 7 })],
  ['I21', 'what failed counts for the quota', ({ history }) => void (history.files[0]!.usages[0]!.stored = 14)],
];
