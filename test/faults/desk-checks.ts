import { termsByField } from '../../src/modules/search/text/lexemes.js';
import type { ClockChange, FilesReading, History } from './history.js';
import type { ServiceChange, TimelineRow, TimerRow } from './desk-reading.js';
import type { Reading } from './reading.js';

/** Time within which a due row is done, and a waiting conversation assigned with Redis and without, in milliseconds. */
const DUE_MS = 2_000;
const ASSIGNED_MS = { bus: 1_000, noBus: 2_000 } as const;
/** Allowance for a busy machine. */
const SLOW_MS = 3_000;
/** Allowance for a due row whose first attempts fail on a busy machine, with the pauses between them. */
const RETRIED_MS = 10_000;
/** Largest difference between two clocks on one machine. */
const CLOCKS_MS = 20;
/** Time after which a fault that waits for due rows gives up. */
export const MAX_DUE_MS = DUE_MS + RETRIED_MS;

const DEFAULT_CAPACITY = 10;

/** Status before and after each timeline entry that tells of a transition. */
const TRANSITIONS: Record<string, { from: string[]; to: string }> = {
  snoozed: { from: ['open', 'snoozed'], to: 'snoozed' },
  woken: { from: ['snoozed'], to: 'open' },
  resolved: { from: ['pending', 'open', 'snoozed'], to: 'resolved' },
  closed_by_contact: { from: ['pending', 'open', 'snoozed'], to: 'resolved' },
  reopened: { from: ['resolved'], to: 'open' },
  handed_over: { from: ['pending', 'open'], to: 'open' },
};

/** Invariants of timers, assignment and mail, like those of `checker.ts`. */
export const DESK_INVARIANTS = {
  /** Due work is done once and in time: the timeline leads to the state, no timer is early, and none is left. */
  *I14({ clocks, expectedEntries, timersLeft }: History, { at, timeline, timers, conversations, ...reading }: Reading) {
    const entries = group(timeline, ({ conversation_id }) => conversation_id);
    const begun = new Map(
      reading.serviceChanges
        .filter(({ changes }) => changes?.status?.from === null)
        .map(({ conversation_id: id, changes }) => [id, changes?.status?.to ?? null]),
    );
    for (const { id, status } of conversations)
      yield* brokenTimeline({ id, begun: begun.get(id) ?? 'open', status }, entries.get(id) ?? [], clocks);
    for (const { conversationId, event } of expectedEntries) {
      const times = (entries.get(conversationId) ?? []).filter(entry => entry.event === event).length;
      if (times !== 1) yield `${conversationId} has ${times} entries "${event}" of its timer`;
    }
    for (const left of [...timersLeft, { at, timers }]) yield* lateTimers(left.timers, left.at);
  },

  /** The service assigns what nobody serves, passes no capacity, and each assignment is one timeline entry. */
  *I15(_history: History, { serviceChanges, timeline, conversations }: Reading) {
    const replay = new AssignmentReplay();
    for (const change of serviceChanges) yield* replay.follow(change);
    const entries = group(
      timeline.filter(({ event }) => event === 'assigned'),
      ({ conversation_id }) => conversation_id,
    );
    for (const { id, status, assignee_id } of conversations) {
      const logged = replay.find(id);
      if (logged.status !== status || logged.assigneeId !== assignee_id)
        yield `${id} is ${status}, assigned to ${assignee_id}, and ${logged.status}, ${logged.assigneeId} in the log`;
      const entered = (entries.get(id) ?? []).map(entry => entry.assignee_id);
      if (entered.join() !== logged.assignments.join())
        yield `${id} was assigned to ${logged.assignments.join()}, and to ${entered.join()} in its timeline`;
    }
  },

  /** Stored loads, counts, requests, idle timers and sums of reports equal a recount. */
  *I16(_history: History, { counts }: Reading) {
    for (const { name, stored, actual } of counts) if (stored !== actual) yield `${name} is ${stored}, not ${actual}`;
  },

  /** No conversation waits for an assignee while a member is free. */
  *I17({ waits }: History) {
    for (const { conversationId, memberId, ms, bus } of waits) {
      const maxMs = ASSIGNED_MS[bus ? 'bus' : 'noBus'] + SLOW_MS;
      if (ms > maxMs) yield `${conversationId} waited ${Math.round(ms)} ms while ${memberId} was free`;
    }
  },

  /** A mail arrives while its reason stands, each time with one Message-ID, and its data is deleted when it has ended. */
  *I18({ expectedMails, receivedMails }: History, { mails }: Reading) {
    const received = group(receivedMails, ({ address }) => address);
    const known = new Set(mails.map(({ id }) => id));
    for (const { address, goneAt } of expectedMails) {
      const attempts = received.get(address) ?? [];
      const ids = [...new Set(attempts.map(({ messageId }) => messageId))];
      if (ids.length > 1) yield `the mail to ${address} has ${ids.length} Message-IDs`;
      if (goneAt === null && ids.length === 0) yield `no mail arrived at ${address}`;
      if (goneAt !== null && attempts.some(({ at }) => at > goneAt))
        yield `a mail arrived at ${address} after its reason was gone`;
      for (const id of ids) if (!known.has(id.split('@')[0] ?? '')) yield `no row has the Message-ID ${id}`;
    }
    for (const { id, status, has_data } of mails)
      if (status !== 'pending' && has_data) yield `the mail ${id} is ${status} and keeps its data`;
  },

  /** The search index has the terms of each message as it is, in a segment of its time. */
  *I19(_history: History, { searched }: Reading) {
    for (const { id, content, segment, lexemes } of searched) {
      const terms = [...new Set(termsByField(content === null ? [] : [content]).flat())];
      const expected = terms.map(term => `${segment === null ? 'none' : segment.toString(36)}/${term}`);
      if (expected.sort().join(' ') !== [...lexemes].sort().join(' '))
        yield `the index has ${lexemes.join(' ')} of ${id}, not ${expected.join(' ')}`;
    }
  },

  /** An acknowledged file is in the store, no file is there without a row, nothing that failed is left or counted. */
  *I21({ files }: History) {
    for (const reading of files) yield* brokenFiles(reading);
  },
};

/** Files, rows and counters agree. */
function* brokenFiles({ acknowledged, rows, stored, usages }: FilesReading): Iterable<string> {
  const [rowOf, fileOf] = [indexById(rows), indexById(stored)];
  for (const { id, size } of acknowledged) {
    if (rowOf.get(id)?.state !== 'ready')
      yield `the file ${id} was acknowledged and its row is ${rowOf.get(id)?.state}`;
    if (fileOf.get(id)?.size !== size)
      yield `the file ${id} has ${fileOf.get(id)?.size} bytes in the store, not ${size}`;
  }
  for (const { id, size, state } of rows) {
    if (state !== 'ready') yield `the file ${id} is ${state} for too long`;
    else if (fileOf.get(id)?.size !== size)
      yield `the file ${id} is ready and has ${fileOf.get(id)?.size} bytes, not ${size}`;
  }
  for (const { id } of stored) if (!rowOf.has(id)) yield `the store has ${id}, which has no row`;
  for (const { stored: bytes, actual } of usages)
    if (bytes !== actual) yield `files of ${actual} bytes count as ${bytes}`;
}

function indexById<T extends { id: string }>(list: readonly T[]): Map<string, T> {
  return new Map(list.map(one => [one.id, one]));
}

/** Rows that are due for longer than the service needs. */
function* lateTimers(timers: readonly TimerRow[], at: number): Iterable<string> {
  for (const { kind, id, due_at } of timers)
    if (at - due_at > MAX_DUE_MS) yield `${kind} ${id} is due for ${Math.round(at - due_at)} ms`;
}

/** @param conversation with its first and last status */
function* brokenTimeline(
  { id, begun, status }: { id: string; begun: string; status: string },
  entries: readonly TimelineRow[],
  clocks: readonly ClockChange[],
): Iterable<string> {
  let reached = begun;
  let until: number | null = null;
  for (const entry of entries) {
    const transition = TRANSITIONS[entry.event];
    if (!transition) continue;
    if (!transition.from.includes(reached)) yield `${id} was ${reached} when it was "${entry.event}"`;
    if (entry.event === 'woken' && entry.reason === 'snooze_ended') {
      const time = entry.created_at + maxAheadMs(clocks, entry.created_at);
      if (until === null || until > time + CLOCKS_MS) yield `${id} was woken before the end of its snooze`;
    }
    reached = transition.to;
    until = entry.until;
  }
  if (reached !== status) yield `${id} is ${status} and was last ${reached} in its timeline`;
}

/** How far the most advanced clock was ahead at most at that time or shortly before. */
function maxAheadMs(clocks: readonly ClockChange[], at: number): number {
  const earlier = clocks.filter(change => change.at <= at);
  const last = earlier.findLastIndex(change => change.at <= at - SLOW_MS);
  return Math.max(0, ...earlier.slice(Math.max(0, last)).map(({ aheadMs }) => aheadMs));
}

interface ServedState {
  status: string | null;
  assigneeId: string | null;
  /** True if it was reopened or woken since the last assignment, so that another may get it. */
  hasReturned: boolean;
  assignments: string[];
}

const UNKNOWN: ServedState = { status: null, assigneeId: null, hasReturned: false, assignments: [] };

/** Replays who served each conversation, from the event log. */
class AssignmentReplay {
  private readonly states = new Map<string, ServedState>();
  private readonly capacities = new Map<string, number>();

  find(conversationId: string): ServedState {
    return this.states.get(conversationId) ?? UNKNOWN;
  }

  *follow({ conversation_id: id, actor, changes, member }: ServiceChange): Iterable<string> {
    if (member) this.capacities.set(member.id, member.capacity);
    if (id === null || !changes) return;
    const { status, assignee_id: assignee } = changes;
    const before = this.find(id);
    if (status && status.from !== before.status) yield `${id} was ${before.status}, and ${status.from} in its change`;
    const returns = status?.to === 'open' && (status.from === 'snoozed' || status.from === 'resolved');
    // A resolve that is taken back restores the assignee without an entry.
    const assignedTo = status?.from === 'resolved' ? null : (assignee?.to ?? null);
    this.states.set(id, {
      status: status?.to ?? before.status,
      assigneeId: assignee ? assignee.to : before.assigneeId,
      hasReturned: returns || (before.hasReturned && !assignee),
      assignments: assignedTo === null ? before.assignments : [...before.assignments, assignedTo],
    });
    if (actor !== 'system' || assignedTo === null) return;
    if (before.assigneeId !== null && !before.hasReturned) yield `${id} was assigned twice`;
    const capacity = this.capacities.get(assignedTo) ?? DEFAULT_CAPACITY;
    if (this.countOpen(assignedTo) > capacity) yield `${assignedTo} was assigned ${id} past its capacity ${capacity}`;
  }

  private countOpen(memberId: string): number {
    return [...this.states.values()].filter(({ status, assigneeId }) => status === 'open' && assigneeId === memberId)
      .length;
  }
}

function group<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}
