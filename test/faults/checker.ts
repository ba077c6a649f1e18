import type { Ears, Hearing, HeardFrame, History, Operation } from './history.js';
import type { EventRow, Reading } from './reading.js';

/** One promise that was not kept, and by what. */
export interface Violation {
  invariant: Invariant;
  what: string;
}

export type Invariant = keyof typeof INVARIANTS;

type Check = (history: History, reading: Reading) => Iterable<string>;

/** How long after an end the end may be noticed, where it need not be the very next request. */
const SECOND_MS = 1_000;
/** For a machine that is busy with something else; and for a frame that is on its way while its socket closes. */
const SLOW_MS = 3_000;
/** By so much two clocks of one machine may differ. */
const CLOCKS_MS = 20;

/** How much slower another workspace's requests may become; and what counts as calm on a machine that is busy. */
const CROWDED_TIMES = 10;
const CALM_MS = 100;

/** How much more a process may hold after a seed than before, without holding on to it. */
export const TOLERANCE = { heapMiB: 32, descriptors: 24, timers: 24, connections: 12 } as const;

const SPOKEN = /\b(w[a-z0-9]+)\.(c\d)\.(v\d)\.(said|note)\.\d+/g;
const TOLD_OF = /^(message|conversation)\./;
const AUDITED = /^(api_key|member|invite|channel|bot|workspace|session|password|sso_ticket)\./;

/** What must hold whatever breaks. Each takes what clients saw and what is stored, and names what does not fit. */
export const INVARIANTS = {
  /** Acknowledged means stored, exactly once; and nothing is stored that nobody sent. */
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

  /** One client_message_id or Idempotency-Key is one effect, with the same answer to each attempt. */
  *I2({ operations }, { members }) {
    const once = operations.filter(({ kind }) => kind === 'send' || kind === 'member');
    for (const [key, attempts] of byKey(once)) {
      const answers = new Set(attempts.filter(({ outcome }) => outcome === 'ok').map(({ answer }) => answer));
      if (answers.size > 1) yield `${key} was answered ${answers.size} ways: ${[...answers].join(', ')}`;
      const { kind, content, workspaceId } = attempts[0] as Operation;
      if (kind !== 'member') continue;
      const made = members.filter(row => row.workspace_id === workspaceId && row.email === content).length;
      if (made > 1 || (made === 0 && answers.size > 0)) yield `${key} made ${made} members`;
    }
  },

  /** `seq` is 1..n, `last_seq` is n. */
  *I3(_history, { messages, conversations }) {
    const seqs = new Map<string, number[]>(conversations.map(({ id }) => [id, []]));
    for (const { conversation_id, seq } of messages) seqs.get(conversation_id)?.push(seq);
    for (const { id, last_seq } of conversations) {
      const own = (seqs.get(id) ?? []).sort((a, b) => a - b);
      const wrong = own.find((seq, index) => seq !== index + 1);
      if (wrong !== undefined) yield `the messages of ${id} are numbered ${own.join(',')}`;
      if (last_seq !== own.length) yield `last_seq of ${id} is ${last_seq} after ${own.length} messages`;
    }
  },

  /** Each listener has every event that it may see, in order per conversation; and so have those who read the log. */
  *I4({ hearings, operations, overdue }, { events, audited }) {
    yield* overdue;
    const entered = new Set(audited);
    for (const { id, type } of events) {
      if (AUDITED.test(type) && !entered.has(id)) yield `${type} ${id} is not in the audit log`;
    }
    const places = new Map(events.map(event => [event.id, event]));
    for (const hearing of hearings) {
      const until = endOf(operations, hearing);
      const heard = new Set(hearing.frames.map(({ id }) => id));
      for (const event of until === null ? events : []) {
        if (BigInt(event.position) <= hearing.from || !TOLD_OF.test(event.type) || !concerns(hearing, event)) continue;
        if (!heard.has(event.id)) yield `${hearing.name} did not hear ${event.type} ${event.id}`;
      }
      for (const { type, text } of hearing.frames) if (type === 'sync.required') yield `${hearing.name} got ${text}`;
      yield* disorder(hearing, places);
    }
  },

  /** Nothing is delivered that is not committed. */
  *I5({ hearings }, { events }) {
    const committed = new Map(events.map(event => [event.id, event]));
    for (const { name, frames } of hearings) {
      for (const { id, type, at } of frames) {
        if (id === null) continue;
        const event = committed.get(id);
        if (!event || event.type !== type) yield `${name} heard ${type} ${id}, which the log does not have`;
        else if ((event.committed_at ?? 0) > at + CLOCKS_MS) yield `${name} heard ${type} ${id} before its COMMIT`;
      }
    }
  },

  /** Nobody receives another workspace's, an out-of-scope channel's, another visitor's, or an agents-only thing. */
  *I6({ hearings, operations }, { events }) {
    const places = new Map(events.map(event => [event.id, event]));
    for (const hearing of hearings) {
      for (const { id, text, type } of hearing.frames) {
        const event = id === null ? undefined : places.get(id);
        if (event && TOLD_OF.test(event.type) && !concerns(hearing, event)) {
          yield `${hearing.name} heard ${type} ${id} of ${event.workspace_id}, channel ${event.channel_id}`;
        }
        for (const mark of foreignMarks(hearing.ears, text)) yield `${hearing.name} heard "${mark}" in ${type}`;
      }
    }
    for (const { kind, who, heard, outcome } of operations) {
      if (kind === 'trespass' && outcome === 'ok') yield `${who} was let in where it must not be`;
      if (!heard) continue;
      for (const mark of foreignMarks(heard.ears, heard.text)) yield `${who} read "${mark}"`;
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

  /** What was ended is refused: a key at once, a session and a member within a second, and so are their sockets. */
  *I8({ operations, hearings, healedAt }, { events }) {
    for (const end of operations) {
      if (end.ends === null || end.outcome !== 'ok') continue;
      const over = end.endedAt + (end.kind === 'revoke' ? 0 : SECOND_MS);
      const later = operations.filter(({ who, startedAt }) => who === end.ends && startedAt > over);
      for (const { outcome, kind, startedAt } of later) {
        const ms = Math.round(startedAt - end.endedAt);
        if (outcome === 'ok') yield `${kind} by ${end.ends} was let in ${ms} ms after its end`;
      }
      const latest = Math.max(end.endedAt, healedAt) + SECOND_MS + SLOW_MS;
      const committedAt = new Map(events.map(event => [event.id, event.committed_at ?? 0]));
      for (const { name, stays, frames } of hearings.filter(({ who }) => who === end.ends)) {
        const closedAt = stays.at(-1)?.closedAt ?? null;
        if (closedAt === null || closedAt > latest) yield `${name} stayed open after the end of ${end.ends}`;
        const late = frames.find(({ id }) => (committedAt.get(id ?? '') ?? 0) > end.endedAt + SECOND_MS + SLOW_MS);
        if (late) yield `${name} heard ${late.type} ${late.id} after its end`;
      }
    }
  },

  /** Memory, descriptors, timers and connections return to their base line. */
  *I9({ resources }) {
    for (const late of resources.filter(({ after }) => after)) {
      const base = resources.find(({ instance, after }) => instance === late.instance && !after);
      if (!base) continue;
      for (const [name, most] of Object.entries(TOLERANCE) as [keyof typeof TOLERANCE, number][]) {
        if (late[name] - base[name] > most)
          yield `${late.instance} holds ${late[name]} ${name}, at first ${base[name]}`;
      }
    }
  },

  /** A graceful stop finishes what is under way, and tells everybody else to come again. */
  *I10({ ended, operations, hearings }) {
    for (const { instance, askedAt, at, how } of ended) {
      if (askedAt === null) continue;
      if (how !== 'exit 0') yield `${instance} was told to stop and ended with ${how}`;
      const own = operations.filter(operation => operation.instance === instance);
      for (const { startedAt, endedAt, status, gaveUp, kind, saysWhen } of own) {
        if (startedAt > askedAt && endedAt < at && status === 503 && !saysWhen)
          yield `a ${kind} got 503 without a time`;
        const underWay = startedAt < askedAt && endedAt > askedAt;
        if (underWay && status === 0 && !gaveUp) yield `a ${kind} under way was cut off by a stop`;
      }
      for (const { name, stays } of hearings) {
        for (const { code, closedAt, ...stay } of stays) {
          const during = stay.instance === instance && closedAt !== null && closedAt >= askedAt && closedAt <= at;
          if (during && code !== 1012 && code !== 4500 && code !== 4502) yield `${name} was closed with ${code}`;
        }
      }
    }
  },

  /** No fault of a dependency ends the process, leaves a rejection to nobody, or becomes a 500. */
  *I11({ ended, complaints, operations }) {
    for (const { instance, how, killed, askedAt } of ended) {
      if (!killed && askedAt === null) yield `${instance} ended by itself: ${how}`;
    }
    for (const { instance, line } of complaints) yield `${instance} complains: ${line}`;
    for (const { kind, status, who } of operations) if (status === 500) yield `a ${kind} of ${who} was answered 500`;
  },

  /** What passes is right again within its time to live: who types is seen by all who were there before. */
  *I12({ typing, hearings, operations }) {
    for (const { workspaceId, channelId, conversationId, since, until, instance } of typing) {
      for (const hearing of hearings) {
        const { audience, name, frames, channelIds, stays } = hearing;
        if (audience !== 'agent' || hearing.workspaceId !== workspaceId || endOf(operations, hearing) !== null)
          continue;
        if (channelIds !== null && !channelIds.includes(channelId)) continue;
        const stay = stays.at(-1);
        if (!stay || stay.openedAt > since || (instance !== null && stay.instance !== instance)) continue;
        const seen = frames.some(
          ({ type, at, text }) => type === 'typing' && at >= since && at <= until && text.includes(conversationId),
        );
        if (!seen) yield `${name} did not see who types in ${conversationId}`;
      }
    }
  },

  /** What one workspace takes, another one does not miss: p99 of its requests is at most ten times that of a calm. */
  *I13({ crowding }) {
    for (const { what, calmMs, crowdedMs, refused } of crowding) {
      if (refused.length > 0) yield `${what}: ${refused.length} requests were refused, first ${refused[0]}`;
      const most = CROWDED_TIMES * Math.max(calmMs, CALM_MS);
      if (crowdedMs > most) yield `${what}: p99 is ${Math.round(crowdedMs)} ms, and ${Math.round(calmMs)} ms in a calm`;
    }
  },
} as const satisfies Record<string, Check>;

/** Everything that does not hold; empty is as it should be. */
export function check(history: History, reading: Reading): Violation[] {
  const names = Object.keys(INVARIANTS) as Invariant[];
  return names.flatMap(invariant =>
    [...(INVARIANTS[invariant] as Check)(history, reading)].map(what => ({ invariant, what })),
  );
}

/** Whether the event is for this listener, by the specification's words and not by the service's. */
function concerns({ audience, ...hearing }: Hearing, event: EventRow): boolean {
  if (event.workspace_id !== hearing.workspaceId) return false;
  if (hearing.conversationId !== null && event.conversation_id !== hearing.conversationId) return false;
  if (hearing.channelIds !== null && !hearing.channelIds.includes(event.channel_id ?? '')) return false;
  return audience === 'agent' || (event.public && event.contact_id === hearing.contactId);
}

/**
 * What is first heard of a conversation after something that happened later. The first cursor lies a moment before the
 * listener began, so a resume may tell what happened before that for the first time: after what was heard over an earlier
 * socket, and in order by itself; not over the same socket.
 */
function* disorder({ name, from, frames }: Hearing, places: Map<string, EventRow>): Iterable<string> {
  const older = new Map<string, bigint>();
  const newer = new Map<string, { position: bigint; stay: number }>();
  for (const { id, type, stay } of firstTimes(frames)) {
    const event = places.get(id ?? '');
    if (!event?.conversation_id || !TOLD_OF.test(type)) continue;
    const position = BigInt(event.position);
    const isOlder = position <= from;
    const latest = newer.get(event.conversation_id);
    const wrong = isOlder
      ? position < (older.get(event.conversation_id) ?? 0n) || latest?.stay === stay
      : position < (latest?.position ?? 0n);
    if (wrong) yield `${name} heard ${type} ${id} out of order`;
    if (isOlder) older.set(event.conversation_id, position);
    else newer.set(event.conversation_id, { position, stay });
  }
}

/** Without what came again. */
function firstTimes(frames: readonly HeardFrame[]): HeardFrame[] {
  const seen = new Set<string>();
  return frames.filter(({ id }) => {
    if (id === null || seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

function foreignMarks(ears: Ears, text: string): string[] {
  const marks = [...text.matchAll(SPOKEN)].filter(([, workspace = '', channel = '', visitor, kind]) => {
    if (workspace !== ears.workspace) return true;
    if (ears.channels && !ears.channels.includes(channel)) return true;
    return (ears.visitor !== null && visitor !== ears.visitor) || (kind === 'note' && !ears.notes);
  });
  return marks.map(([mark]) => mark);
}

/** When what the listener came with was ended; null when it was not, as far as it was told. */
function endOf(operations: readonly Operation[], { who }: Hearing): number | null {
  return operations.find(({ ends }) => ends === who)?.startedAt ?? null;
}

function byKey(operations: readonly Operation[]): Map<string, Operation[]> {
  const groups = new Map<string, Operation[]>();
  for (const operation of operations) {
    if (operation.key === null) continue;
    const key = `${operation.who} ${operation.key}`;
    groups.set(key, [...(groups.get(key) ?? []), operation]);
  }
  return groups;
}
