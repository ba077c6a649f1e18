import type { Actor } from '../../kernel/domain-event.js';
import type { Conversation, Status } from './conversation.js';

/** What can happen to a conversation's state. */
export type Trigger = 'contact_message' | 'agent_message' | 'bot_message' | 'take' | 'handoff' | 'resolve' | 'reopen';

/** What a transition does, for a service to write: columns, and the entry that the timeline gets. */
export interface Effects {
  columns: Partial<Conversation>;
  timeline: TimelineEntry | null;
}

/** A line of the conversation that nobody typed. Public ones tell the visitor too, and then name nobody. */
export interface TimelineEntry {
  event: 'resolved' | 'reopened' | 'assigned' | 'unassigned' | 'handed_over';
  public: boolean;
  /** Why, where that is not plain. */
  reason?: string | undefined;
}

export interface Circumstances {
  now: Date;
  actor: Actor;
  reason?: string | undefined;
}

type Rule = (conversation: Conversation, circumstances: Circumstances) => Effects;

const stay: Rule = () => ({ columns: {}, timeline: null });

/** A person has taken over from the bot. */
const takeOver: Rule = () => ({ columns: { status: 'open', control: 'human' }, timeline: null });

/** The bot gives up, or is no more; nobody has taken over yet. */
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
 * Every transition that there is; what is not in the table is refused. Private notes are no trigger: they change
 * nothing. Whether a contact's message comes too late to reopen is asked before, for then it begins a new conversation.
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

/** The state that each trigger aims at; what a refusal names as `to`. */
export const TARGET_STATUS: Record<Trigger, Status> = {
  contact_message: 'open',
  agent_message: 'open',
  bot_message: 'open',
  take: 'open',
  handoff: 'open',
  resolve: 'resolved',
  reopen: 'open',
};

/** @returns what the trigger does, or null when the table has no such transition */
export function transition(conversation: Conversation, trigger: Trigger, circumstances: Circumstances): Effects | null {
  const rule = TRANSITIONS[trigger][conversation.status];
  return rule ? rule(conversation, circumstances) : null;
}

/** Whether a contact's message to a resolved conversation comes so late that it begins a new one. */
export function isPastReopening(conversation: Conversation, windowHours: number, now: Date): boolean {
  if (conversation.status !== 'resolved' || !conversation.resolvedAt) return false;
  return now.getTime() - conversation.resolvedAt.getTime() > windowHours * 3_600_000;
}
