import type { Actor } from '../../kernel/domain-event.js';
import type { Conversation, Status } from './conversation.js';

/** Events that can change a conversation's status. */
export type Trigger = 'contact_message' | 'agent_message' | 'bot_message' | 'take' | 'handoff' | 'resolve' | 'reopen';

/** Result of a transition, which a service writes: columns and an optional timeline entry. */
export interface Effects {
  columns: Partial<Conversation>;
  timeline: TimelineEntry | null;
}

/** Changes that a timeline entry can tell of. */
export const TIMELINE_EVENTS = ['resolved', 'reopened', 'assigned', 'unassigned', 'handed_over'] as const;

/** An entry that the service adds to the conversation. Public entries are shown to the visitor and name no person. */
export interface TimelineEntry {
  event: (typeof TIMELINE_EVENTS)[number];
  public: boolean;
  /** Reason, if the event alone does not tell it. */
  reason?: string | undefined;
}

export interface Circumstances {
  now: Date;
  actor: Actor;
  reason?: string | undefined;
}

type Rule = (conversation: Conversation, circumstances: Circumstances) => Effects;

const stay: Rule = () => ({ columns: {}, timeline: null });

/** A person takes over from the bot. */
const takeOver: Rule = () => ({ columns: { status: 'open', control: 'human' }, timeline: null });

/** The bot hands off or is deleted; no person has taken over yet. */
const handOff: Rule = (_conversation, { reason }) => ({
  columns: { status: 'open', control: 'human' },
  timeline: { event: 'handed_over', public: false, reason },
});

const wake: Rule = () => ({ columns: { status: 'open', snoozedUntil: null }, timeline: null });

const reopen: Rule = conversation => ({
  columns: {
    status: 'open',
    control: 'human',
    resolvedAt: null,
    resolvedBy: null,
    reopenedCount: conversation.reopenedCount + 1,
  },
  timeline: { event: 'reopened', public: true },
});

const resolve: Rule = (_conversation, { now, actor }) => ({
  columns: { status: 'resolved', resolvedAt: now, resolvedBy: actor, snoozedUntil: null, waitingSince: null },
  timeline: { event: 'resolved', public: true },
});

/**
 * All allowed transitions; any other is refused. Private notes trigger none. The caller checks `isPastReopening` first,
 * because a late message starts a new conversation.
 */
export const TRANSITIONS: Record<Trigger, Partial<Record<Status, Rule>>> = {
  contact_message: { pending: stay, open: stay, snoozed: wake, resolved: reopen },
  agent_message: { pending: takeOver, open: stay, snoozed: stay, resolved: reopen },
  bot_message: { pending: stay, open: stay, snoozed: stay, resolved: reopen },
  take: { pending: takeOver, open: stay, snoozed: stay },
  handoff: { pending: handOff },
  resolve: { pending: resolve, open: resolve, snoozed: resolve },
  reopen: { resolved: reopen },
};

/** Target status of each trigger, returned as `to` when a transition is refused. */
export const TARGET_STATUS: Record<Trigger, Status> = {
  contact_message: 'open',
  agent_message: 'open',
  bot_message: 'open',
  take: 'open',
  handoff: 'open',
  resolve: 'resolved',
  reopen: 'open',
};

/** @returns null if the table has no such transition */
export function transition(conversation: Conversation, trigger: Trigger, circumstances: Circumstances): Effects | null {
  const rule = TRANSITIONS[trigger][conversation.status];
  return rule ? rule(conversation, circumstances) : null;
}

/** True if a contact's message comes after the reopen window, so that it starts a new conversation. */
export function isPastReopening(conversation: Conversation, windowHours: number, now: Date): boolean {
  if (conversation.status !== 'resolved' || !conversation.resolvedAt) return false;
  return now.getTime() - conversation.resolvedAt.getTime() > windowHours * 3_600_000;
}
