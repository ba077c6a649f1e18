import { fromWireTimeOrNull, toWireTime, toWireTimeOrNull } from '../../kernel/clock.js';
import type { Actor } from '../../kernel/domain-event.js';
import type { Conversation, Rating, Status } from './conversation.js';

/** Events that can change a conversation's status. `close` is the visitor's, `undo_resolve` takes a resolve back. */
export type Trigger =
  | 'contact_message'
  | 'agent_message'
  | 'bot_message'
  | 'take'
  | 'handoff'
  | 'snooze'
  | 'wake'
  | 'resolve'
  | 'close'
  | 'idle'
  | 'reopen'
  | 'undo_resolve';

/** Result of a transition, which a service writes: columns and an optional timeline entry. */
export interface Effects {
  columns: Partial<Conversation>;
  timeline: TimelineEntry | null;
}

/** Changes that a timeline entry can tell of. */
export const TIMELINE_EVENTS = [
  'resolved',
  'closed_by_contact',
  'reopened',
  'assigned',
  'unassigned',
  'handed_over',
  'snoozed',
  'woken',
  'rated',
] as const;

/** An entry that the service adds to the conversation. Public entries are shown to the visitor and name no person. */
export interface TimelineEntry {
  event: (typeof TIMELINE_EVENTS)[number];
  public: boolean;
  /** Reason, if the event alone does not tell it. */
  reason?: string | undefined;
  /** End of a snooze. */
  until?: string | null;
  rating?: Rating;
}

/** Everything that a transition depends on, besides the conversation. */
export interface Circumstances {
  now: Date;
  actor: Actor;
  reason?: string | undefined;
  /** Told by a bot or agent to the next one at a handoff. */
  summary?: string | undefined;
  /** End of a snooze; null until the contact writes. */
  until?: Date | null;
  /** The enabled bot that the channel is routed to; null if people serve it. */
  botId?: string | null;
  /** The member who takes the conversation or gets it. */
  assigneeId?: string | null;
}

const UNDO_MS = 30_000;

type Rule = (conversation: Conversation, circumstances: Circumstances) => Effects;

const stay: Rule = () => ({ columns: {}, timeline: null });

/** A person takes over from the bot. The contact waits from now on. */
const takeOver: Rule = (_conversation, { now }) => ({
  columns: { status: 'open', control: 'human', waitingSince: now },
  timeline: null,
});

/** A member takes the conversation, or gets it from a colleague. */
const take: Rule = (_conversation, { assigneeId = null, reason }) => ({
  columns: { assigneeId },
  timeline: { event: 'assigned', public: false, reason },
});

const takeFromBot: Rule = (conversation, circumstances) => {
  const { columns, timeline } = take(conversation, circumstances);
  return { columns: { ...takeOver(conversation, circumstances).columns, ...columns }, timeline };
};

/** The bot hands off or is deleted; no person has taken over yet. */
const handOffByBot: Rule = (_conversation, { now, reason, summary }) => ({
  columns: {
    status: 'open',
    control: 'human',
    waitingSince: now,
    handoff: { reason: reason ?? null, summary: summary ?? null, at: toWireTime(now) },
  },
  timeline: { event: 'handed_over', public: false, reason },
});

/** An agent or backend gives the conversation back to the others. */
const handOff: Rule = (_conversation, { now, reason, summary }) => ({
  columns: {
    assigneeId: null,
    handoff: { reason: reason ?? null, summary: summary ?? null, at: toWireTime(now) },
  },
  timeline: { event: 'handed_over', public: false, reason },
});

const snooze: Rule = (_conversation, { until = null }) => ({
  columns: { status: 'snoozed', snoozedUntil: until },
  timeline: { event: 'snoozed', public: false, until: toWireTimeOrNull(until) },
});

const wake: Rule = (_conversation, { reason }) => ({
  columns: { status: 'open', snoozedUntil: null },
  timeline: { event: 'woken', public: false, reason },
});

const wakeByContact: Rule = (conversation, circumstances) =>
  wake(conversation, { ...circumstances, reason: 'contact_wrote' });

const reopen: Rule = conversation => ({
  columns: {
    status: 'open',
    control: 'human',
    resolvedAt: null,
    resolvedBy: null,
    beforeResolve: null,
    reopenedCount: conversation.reopenedCount + 1,
    contactDue: true,
  },
  timeline: { event: 'reopened', public: true },
});

/** A contact who writes again is served by the channel's bot first, if it has one. */
const reopenByContact: Rule = (conversation, circumstances) => {
  const { columns, timeline } = reopen(conversation, circumstances);
  const { botId = null } = circumstances;
  const toBot = { status: 'pending', control: 'bot', botId, assigneeId: null } as const;
  return { columns: botId === null ? columns : { ...columns, ...toBot }, timeline };
};

const resolveAs =
  (event: 'resolved' | 'closed_by_contact'): Rule =>
  (conversation, { now, actor, reason }) => ({
    columns: {
      status: 'resolved',
      resolvedAt: now,
      resolvedBy: actor,
      snoozedUntil: null,
      waitingSince: null,
      beforeResolve: {
        status: conversation.status,
        control: conversation.control,
        assignee_id: conversation.assigneeId,
        snoozed_until: toWireTimeOrNull(conversation.snoozedUntil),
        waiting_since: toWireTimeOrNull(conversation.waitingSince),
      },
    },
    timeline: { event, public: true, reason },
  });
const resolve = resolveAs('resolved');
const close = resolveAs('closed_by_contact');

const undoResolve: Rule = ({ beforeResolve }) => ({
  columns: {
    status: beforeResolve?.status ?? 'open',
    control: beforeResolve?.control ?? 'human',
    assigneeId: beforeResolve?.assignee_id ?? null,
    snoozedUntil: fromWireTimeOrNull(beforeResolve?.snoozed_until ?? null),
    waitingSince: fromWireTimeOrNull(beforeResolve?.waiting_since ?? null),
    resolvedAt: null,
    resolvedBy: null,
    beforeResolve: null,
  },
  timeline: null,
});

/** With a reason, the bot that was in control no longer serves the channel: people get the conversation. */
const undoResolveOrHandOff: Rule = (conversation, circumstances) => {
  const undone = undoResolve(conversation, circumstances);
  if (circumstances.reason === undefined) return undone;
  const { columns, timeline } = handOffByBot(conversation, circumstances);
  return { columns: { ...undone.columns, ...columns }, timeline };
};

/**
 * All allowed transitions; any other is refused. Private notes trigger none, nor do automatic messages. The caller checks `isPastReopening` first,
 * because a late message starts a new conversation.
 */
export const TRANSITIONS: Record<Trigger, Partial<Record<Status, Rule>>> = {
  contact_message: { pending: stay, open: stay, snoozed: wakeByContact, resolved: reopenByContact },
  agent_message: { pending: takeOver, open: stay, snoozed: stay, resolved: reopen },
  bot_message: { pending: stay },
  take: { pending: takeFromBot, open: take, snoozed: take },
  handoff: { pending: handOffByBot, open: handOff },
  snooze: { open: snooze, snoozed: snooze },
  wake: { snoozed: wake },
  resolve: { pending: resolve, open: resolve, snoozed: resolve },
  close: { pending: close, open: close, snoozed: close },
  idle: { pending: resolve, open: resolve },
  reopen: { resolved: reopen },
  undo_resolve: { resolved: undoResolveOrHandOff },
};

/** Target status of each trigger, returned as `to` when a transition is refused. */
export const TARGET_STATUS: Record<Trigger, Status> = {
  contact_message: 'open',
  agent_message: 'open',
  bot_message: 'open',
  take: 'open',
  handoff: 'open',
  snooze: 'snoozed',
  wake: 'open',
  resolve: 'resolved',
  close: 'resolved',
  idle: 'resolved',
  reopen: 'open',
  undo_resolve: 'open',
};

/** @returns null if the table has no such transition */
export function transition(conversation: Conversation, trigger: Trigger, circumstances: Circumstances): Effects | null {
  const rule = TRANSITIONS[trigger][conversation.status];
  return rule ? rule(conversation, circumstances) : null;
}

/** True if the member who resolved the conversation may take that back: within half a minute, and before a rating. */
export function mayUndoResolve({ resolvedAt, resolvedBy, csat }: Conversation, by: Actor, now: Date): boolean {
  if (resolvedAt === null || by.type !== 'member' || resolvedBy?.type !== 'member' || resolvedBy.id !== by.id)
    return false;
  const isRated = csat !== null && new Date(csat.rated_at) >= resolvedAt;
  return !isRated && now.getTime() - resolvedAt.getTime() <= UNDO_MS;
}

/** True if a contact's message comes after the reopen window, so that it starts a new conversation. */
export function isPastReopening(conversation: Conversation, windowHours: number, now: Date): boolean {
  if (conversation.status !== 'resolved' || !conversation.resolvedAt) return false;
  return now.getTime() - conversation.resolvedAt.getTime() > windowHours * 3_600_000;
}
