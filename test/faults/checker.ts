import type { Visibility, Subscription, ReceivedFrame, History, Operation } from './history.js';
import type { EventRow, Reading } from './reading.js';
import { DESK_INVARIANTS } from './desk-checks.js';
import { SERVER_INVARIANTS } from './server-checks.js';

/** A broken promise and the evidence. */
export interface Violation {
  invariant: Invariant;
  description: string;
}

export type Invariant = keyof typeof INVARIANTS;

type Check = (history: History, reading: Reading) => Iterable<string>;

/** Time within which a session's end takes effect, in milliseconds, unless it must affect the next request. */
const SECOND_MS = 1_000;
/** Allowance for a busy machine and for frames in flight while a socket closes. */
const SLOW_MS = 3_000;
/** Largest difference between two clocks on one machine. */
const CLOCKS_MS = 20;

/** Maximum slowdown of another workspace's requests, and the lowest p99 that counts as calm. */
const CROWDED_TIMES = 10;
const CALM_MS = 100;

/** Growth of a process's resources after a seed that does not count as a leak. */
export const TOLERANCE = { heapMiB: 32, descriptors: 24, timers: 24, connections: 12 } as const;

const MARK = /\b(w[a-z0-9]+)\.(c\d)\.(v\d)\.(said|note)\.\d+/g;
const DELIVERED = /^(message|conversation)\./;
const AUDITED = /^(api_key|member|invite|channel|bot|workspace|session|password|sso_ticket)\./;

/**
 * Invariants that hold whatever breaks. Each takes the clients' view and the stored rows and yields a description per
 * violation.
 */
export const INVARIANTS = {
  /** An acknowledged message is stored exactly once, and nothing is stored that nobody sent. */
  *I1({ operations }, { messages }) {
    const stored = new Map(messages.map(message => [message.id, message]));
    const sends = operations.filter(({ kind }) => kind === 'send');
    for (const { outcome, answer, key, content, conversationId } of sends) {
      if (outcome !== 'ok' || answer === null) continue;
      const message = stored.get(answer);
      if (!message) yield `${key} was acknowledged as ${answer}, which is not stored`;
      else if (message.conversation_id !== conversationId) yield `${key} is stored in another conversation`;
      else if (!message.changed && message.content !== content) yield `${key} is stored as "${message.content}"`;
    }
    const sent = new Set(sends.map(({ content }) => content));
    const times = new Map<string, number>();
    for (const { content, changed, sender_type, client_message_id } of messages) {
      if (changed || content === null || sender_type === 'bot') continue;
      times.set(content, (times.get(content) ?? 0) + 1);
      if (client_message_id !== null && !sent.has(content)) yield `"${content}" is stored and nobody sent it`;
    }
    for (const [content, count] of times) if (count > 1) yield `"${content}" is stored ${count} times`;
  },

  /** Requests with one client_message_id or Idempotency-Key have one effect and the same response. */
  *I2({ operations }, { members }) {
    const once = operations.filter(({ kind }) => kind === 'send' || kind === 'member');
    for (const [key, attempts] of byKey(once)) {
      const answers = new Set(attempts.filter(({ outcome }) => outcome === 'ok').map(({ answer }) => answer));
      if (answers.size > 1) yield `${key} got ${answers.size} different responses: ${[...answers].join(', ')}`;
      const { kind, content, workspaceId } = attempts[0] as Operation;
      if (kind !== 'member') continue;
      const made = members.filter(row => row.workspace_id === workspaceId && row.email === content).length;
      if (made > 1 || (made === 0 && answers.size > 0)) yield `${key} created ${made} members`;
    }
  },

  /** `seq` is 1..n, `last_seq` is n. */
  *I3(_history, { messages, conversations }) {
    const seqs = new Map<string, number[]>(conversations.map(({ id }) => [id, []]));
    for (const { conversation_id, seq } of messages) seqs.get(conversation_id)?.push(seq);
    for (const { id, last_seq } of conversations) {
      const sorted = (seqs.get(id) ?? []).sort((a, b) => a - b);
      const wrong = sorted.find((seq, index) => seq !== index + 1);
      if (wrong !== undefined) yield `the messages of ${id} are numbered ${sorted.join(',')}`;
      if (last_seq !== sorted.length) yield `last_seq of ${id} is ${last_seq} after ${sorted.length} messages`;
    }
  },

  /** Each subscription has every event it may see, in order per conversation; so does the audit log. */
  *I4({ subscriptions, operations, overdue }, { events, audited }) {
    yield* overdue;
    const entered = new Set(audited);
    for (const { id, type } of events) {
      if (AUDITED.test(type) && !entered.has(id)) yield `${type} ${id} is not in the audit log`;
    }
    const eventsById = new Map(events.map(event => [event.id, event]));
    for (const subscription of subscriptions) {
      const until = endOf(operations, subscription);
      const received = new Set(subscription.frames.map(({ id }) => id));
      for (const event of until === null ? events : []) {
        if (
          BigInt(event.position) <= subscription.from ||
          !DELIVERED.test(event.type) ||
          !concerns(subscription, event)
        )
          continue;
        if (!received.has(event.id)) yield `${subscription.name} did not receive ${event.type} ${event.id}`;
      }
      for (const { type, text } of subscription.frames)
        if (type === 'sync.required') yield `${subscription.name} received ${text}`;
      yield* outOfOrder(subscription, eventsById);
    }
  },

  /** No event is delivered without being committed first. */
  *I5({ subscriptions }, { events }) {
    const committed = new Map(events.map(event => [event.id, event]));
    for (const { name, frames } of subscriptions) {
      for (const { id, type, at } of frames) {
        if (id === null) continue;
        const event = committed.get(id);
        if (!event || event.type !== type) yield `${name} received ${type} ${id}, which is not in the log`;
        else if ((event.committed_at ?? 0) > at + CLOCKS_MS) yield `${name} received ${type} ${id} before its COMMIT`;
      }
    }
  },

  /** Nobody receives data of another workspace, visitor or out-of-scope channel, and no visitor private data. */
  *I6({ subscriptions, operations }, { events }) {
    const eventsById = new Map(events.map(event => [event.id, event]));
    for (const subscription of subscriptions) {
      for (const { id, text, type } of subscription.frames) {
        const event = id === null ? undefined : eventsById.get(id);
        if (event && DELIVERED.test(event.type) && !concerns(subscription, event)) {
          yield `${subscription.name} received ${type} ${id} of ${event.workspace_id}, channel ${event.channel_id}`;
        }
        for (const mark of foreignMarks(subscription.visibility, text))
          yield `${subscription.name} received "${mark}" in ${type}`;
      }
    }
    for (const { kind, actor, visibleText, outcome } of operations) {
      if (kind === 'trespass' && outcome === 'ok') yield `a forbidden request of ${actor} succeeded`;
      if (!visibleText) continue;
      for (const mark of foreignMarks(visibleText.visibility, visibleText.text)) yield `${actor} read "${mark}"`;
    }
  },

  /** A ticket or an invite is spent at most once. */
  *I7({ operations }, { tickets }) {
    const spending = operations.filter(({ kind }) => kind === 'exchange' || kind === 'accept');
    for (const [key, attempts] of byKey(spending)) {
      const spent = attempts.filter(({ outcome }) => outcome === 'ok').length;
      if (spent > 1) yield `${key} was spent ${spent} times`;
    }
    for (const { workspace_id, spent, minted } of tickets) {
      if (spent !== minted) yield `${spent} tickets of ${workspace_id} were spent for ${minted} sessions`;
    }
  },

  /** An ended credential is refused: a key at once, a session or member within a second. Its sockets close. */
  *I8({ operations, subscriptions, healedAt }, { events }) {
    for (const end of operations) {
      if (end.ends === null || end.outcome !== 'ok') continue;
      const over = end.endedAt + (end.kind === 'revoke' ? 0 : SECOND_MS);
      const later = operations.filter(({ actor, startedAt }) => actor === end.ends && startedAt > over);
      for (const { outcome, kind, startedAt } of later) {
        const ms = Math.round(startedAt - end.endedAt);
        if (outcome === 'ok') yield `${kind} by ${end.ends} was accepted ${ms} ms after its end`;
      }
      const latest = Math.max(end.endedAt, healedAt) + SECOND_MS + SLOW_MS;
      const committedAt = new Map(events.map(event => [event.id, event.committed_at ?? 0]));
      for (const { name, connections, frames } of subscriptions.filter(({ actor }) => actor === end.ends)) {
        const closedAt = connections.at(-1)?.closedAt ?? null;
        if (closedAt === null || closedAt > latest) yield `${name} stayed open after the end of ${end.ends}`;
        const late = frames.find(({ id }) => (committedAt.get(id ?? '') ?? 0) > end.endedAt + SECOND_MS + SLOW_MS);
        if (!late) continue;
        const { instance, openedAt } = connections[late.connection] ?? { instance: 'unknown', openedAt: NaN };
        const [commit, arrival, opening] = [committedAt.get(late.id ?? '') ?? 0, late.at, openedAt].map(at =>
          Math.round(at - end.endedAt),
        );
        yield (
          `${name} received ${late.type} ${late.id} ${arrival} ms after its end; ` +
          `committed after ${commit} ms, connected to ${instance} after ${opening} ms`
        );
      }
    }
  },

  /** Memory, descriptors, timers and connections return to their baseline. */
  *I9({ resources }) {
    for (const late of resources.filter(({ after }) => after)) {
      const base = resources.find(({ instance, after }) => instance === late.instance && !after);
      if (!base) continue;
      for (const [name, tolerance] of Object.entries(TOLERANCE) as [keyof typeof TOLERANCE, number][]) {
        if (late[name] - base[name] > tolerance)
          yield `${late.instance} has ${late[name]} ${name}, at first ${base[name]}`;
      }
    }
  },

  /** A graceful stop finishes running requests and answers all others with 503 and Retry-After. */
  *I10({ ended, operations, subscriptions }) {
    for (const { instance, stopRequestedAt, at, how } of ended) {
      if (stopRequestedAt === null) continue;
      if (how !== 'exit 0') yield `${instance} was stopped and ended with ${how}`;
      const ofInstance = operations.filter(operation => operation.instance === instance);
      for (const { startedAt, endedAt, status, gaveUp, kind, hasRetryAfter } of ofInstance) {
        if (startedAt > stopRequestedAt && endedAt < at && status === 503 && !hasRetryAfter)
          yield `a ${kind} got 503 without Retry-After`;
        const underWay = startedAt < stopRequestedAt && endedAt > stopRequestedAt;
        if (underWay && status === 0 && !gaveUp) yield `a stop cut off a running ${kind}`;
      }
      for (const { name, connections } of subscriptions) {
        for (const { code, closedAt, ...connection } of connections) {
          const during =
            connection.instance === instance && closedAt !== null && closedAt >= stopRequestedAt && closedAt <= at;
          if (during && code !== 1012 && code !== 4500 && code !== 4502) yield `${name} was closed with ${code}`;
        }
      }
    }
  },

  /** No failing dependency ends a process, causes an unhandled rejection, or becomes a 500. */
  *I11({ ended, complaints, operations }) {
    for (const { instance, how, killed, stopRequestedAt } of ended) {
      if (!killed && stopRequestedAt === null) yield `${instance} ended by itself: ${how}`;
    }
    for (const { instance, line } of complaints) yield `${instance} logged: ${line}`;
    for (const { kind, status, actor } of operations) if (status === 500) yield `a ${kind} of ${actor} got 500`;
  },

  /** Typing works again within its time to live: every agent connected before sees it. */
  *I12({ typing, subscriptions, operations }) {
    for (const { workspaceId, channelId, conversationId, since, until, instance } of typing) {
      for (const subscription of subscriptions) {
        const { audience, name, frames, channelIds, connections } = subscription;
        if (
          audience !== 'agent' ||
          subscription.workspaceId !== workspaceId ||
          endOf(operations, subscription) !== null
        )
          continue;
        if (channelIds !== null && !channelIds.includes(channelId)) continue;
        const connection = connections.at(-1);
        if (!connection || connection.openedAt > since || (instance !== null && connection.instance !== instance))
          continue;
        const seen = frames.some(
          ({ type, at, text }) => type === 'typing' && at >= since && at <= until && text.includes(conversationId),
        );
        if (!seen) yield `${name} did not see typing in ${conversationId}`;
      }
    }
  },

  /** A workspace under load does not slow another: p99 is at most ten times the calm p99, and no request is refused. */
  *I13({ crowding }) {
    for (const { description, calmMs, crowdedMs, refused } of crowding) {
      if (refused.length > 0) yield `${description}: ${refused.length} requests were refused, first ${refused[0]}`;
      const maxMs = CROWDED_TIMES * Math.max(calmMs, CALM_MS);
      if (crowdedMs > maxMs) yield `${description}: p99 is ${Math.round(crowdedMs)} ms, calm ${Math.round(calmMs)} ms`;
    }
  },

  ...DESK_INVARIANTS,
  ...SERVER_INVARIANTS,
} as const satisfies Record<string, Check>;

/** Returns every violation; empty if all invariants hold. */
export function check(history: History, reading: Reading): Violation[] {
  const names = Object.keys(INVARIANTS) as Invariant[];
  return names.flatMap(invariant =>
    [...(INVARIANTS[invariant] as Check)(history, reading)].map(description => ({ invariant, description })),
  );
}

/** True if the subscription may see the event. Follows the specification, not the service's code. */
function concerns({ audience, ...subscription }: Subscription, event: EventRow): boolean {
  if (event.workspace_id !== subscription.workspaceId) return false;
  if (subscription.conversationId !== null && event.conversation_id !== subscription.conversationId) return false;
  if (subscription.channelIds !== null && !subscription.channelIds.includes(event.channel_id ?? '')) return false;
  return audience === 'agent' || (event.public && event.contact_id === subscription.contactId);
}

/**
 * Events that a subscription first received out of order, per conversation. The first cursor lies shortly before the
 * subscription's start, so a resume may deliver older events for the first time: after newer ones of an earlier socket
 * and in order among themselves, but not over the same socket.
 */
function* outOfOrder({ name, from, frames }: Subscription, eventsById: Map<string, EventRow>): Iterable<string> {
  const older = new Map<string, bigint>();
  const newer = new Map<string, { position: bigint; connection: number }>();
  for (const { id, type, connection } of firstTimes(frames)) {
    const event = eventsById.get(id ?? '');
    if (!event?.conversation_id || !DELIVERED.test(type)) continue;
    const position = BigInt(event.position);
    const isOlder = position <= from;
    const latest = newer.get(event.conversation_id);
    const wrong = isOlder
      ? position < (older.get(event.conversation_id) ?? 0n) || latest?.connection === connection
      : position < (latest?.position ?? 0n);
    if (wrong) yield `${name} received ${type} ${id} out of order`;
    if (isOlder) older.set(event.conversation_id, position);
    else newer.set(event.conversation_id, { position, connection });
  }
}

/** Drops repeated frames. */
function firstTimes(frames: readonly ReceivedFrame[]): ReceivedFrame[] {
  const seen = new Set<string>();
  return frames.filter(({ id }) => {
    if (id === null || seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

function foreignMarks(visibility: Visibility, text: string): string[] {
  const marks = [...text.matchAll(MARK)].filter(([, workspace = '', channel = '', visitor, kind]) => {
    if (workspace !== visibility.workspace) return true;
    if (visibility.channels && !visibility.channels.includes(channel)) return true;
    return (
      (visibility.visitor !== null && visitor !== visibility.visitor) || (kind === 'note' && !visibility.privateNotes)
    );
  });
  return marks.map(([mark]) => mark);
}

/** Start of the request that ended the subscription's credential; null if none did. */
function endOf(operations: readonly Operation[], { actor }: Subscription): number | null {
  return operations.find(({ ends }) => ends === actor)?.startedAt ?? null;
}

function byKey(operations: readonly Operation[]): Map<string, Operation[]> {
  const groups = new Map<string, Operation[]>();
  for (const operation of operations) {
    if (operation.key === null) continue;
    const key = `${operation.actor} ${operation.key}`;
    groups.set(key, [...(groups.get(key) ?? []), operation]);
  }
  return groups;
}
