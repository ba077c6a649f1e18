import type { Actor } from '../../kernel/domain-event.js';
import type { Channel } from '../channels/index.js';
import { assignsAutomatically } from '../channels/index.js';
import type { Conversation, ConversationChange } from '../conversations/index.js';

/** A conversation that waits for an assignee, as it is stored. */
export interface AssignmentRequest {
  conversationId: string;
  channelId: string;
  priorityRank: number;
  waitingSince: Date | null;
  /** The assignee of a reopened or woken conversation, who keeps it unless another is free. */
  assigneeId: string | null;
  excludedMemberId: string | null;
}

/** `unchanged` leaves a stored row, or its absence, as it is. */
export type RequestChange = AssignmentRequest | 'none' | 'unchanged';
export type WatchChange = 'watched' | 'none' | 'unchanged';

/** The channel of a conversation; undefined if it does not matter. */
type ChannelOrNone = Channel | undefined;

const RANKS: Record<Conversation['priority'], number> = { urgent: 0, high: 1, medium: 2, low: 3, none: 4 };

/** True while people have to serve the conversation. */
export function isServedByPeople({ status, control }: Conversation): boolean {
  return status === 'open' && control === 'human';
}

function isInPool(conversation: Conversation): boolean {
  return isServedByPeople(conversation) && conversation.assigneeId === null;
}

/** How the request of a conversation changes with the conversation. */
export function requestAfter({ from, to }: ConversationChange, actor: Actor, channel: ChannelOrNone): RequestChange {
  const wasServed = from !== null && isServedByPeople(from);
  if (!isServedByPeople(to)) return wasServed ? 'none' : 'unchanged';
  if (!channel || !assignsAutomatically(channel)) return wasServed ? 'none' : 'unchanged';
  const excludedMemberId = handedOffBy(from, to, actor);
  if (to.assigneeId === null) {
    const isKnown = from !== null && isInPool(from) && excludedMemberId === null && from.priority === to.priority;
    return isKnown ? 'unchanged' : requestFor(to, excludedMemberId);
  }
  if (from !== null && returnsToAssignee(from, to)) return requestFor(to, null);
  return wasServed && from.assigneeId !== to.assigneeId ? 'none' : 'unchanged';
}

/** How the request of an open conversation changes with the routing of its channel. */
export function requestUnder(channel: Channel, conversation: Conversation): RequestChange {
  if (!isServedByPeople(conversation) || !assignsAutomatically(channel)) return 'none';
  return conversation.assigneeId === null ? requestFor(conversation, null) : 'unchanged';
}

/** How the watch over the assignee changes with the conversation. */
export function watchAfter({ from, to }: ConversationChange, channel: ChannelOrNone): WatchChange {
  const before = from && isServedByPeople(from) ? from.assigneeId : null;
  const after = isServedByPeople(to) ? to.assigneeId : null;
  if (before === after) return 'unchanged';
  return after === null ? 'none' : watchUnder(channel, to);
}

/** How the watch over the assignee of an open conversation changes with the routing of its channel. */
export function watchUnder(channel: ChannelOrNone, conversation: Conversation): WatchChange {
  if (!isServedByPeople(conversation) || conversation.assigneeId === null) return 'none';
  const isWatched = channel?.deletedAt === null && channel.routing.reassign_after_minutes !== null;
  return isWatched ? 'watched' : 'none';
}

/** The member who was assigned an open conversation of a channel that takes turns; null if nobody was. */
export function turnAfter({ from, to }: ConversationChange, channel: ChannelOrNone): string | null {
  if (!channel || !assignsAutomatically(channel) || !isServedByPeople(to)) return null;
  return from?.assigneeId === to.assigneeId ? null : to.assigneeId;
}

/** The member whose open conversations include this one. */
export function loadedMemberOf(conversation: Conversation | null): string | null {
  return conversation?.status === 'open' ? conversation.assigneeId : null;
}

function requestFor(conversation: Conversation, excludedMemberId: string | null): AssignmentRequest {
  const { id, channelId, priority, waitingSince, assigneeId } = conversation;
  return { conversationId: id, channelId, priorityRank: RANKS[priority], waitingSince, assigneeId, excludedMemberId };
}

/** Reopened or woken with its assignee. A resolve that was taken back never happened. */
function returnsToAssignee(from: Conversation, to: Conversation): boolean {
  if (from.assigneeId !== to.assigneeId) return false;
  return from.status === 'snoozed' || (from.status === 'resolved' && from.reopenedCount !== to.reopenedCount);
}

/** A member who takes a conversation from a bot for the others may still get it. */
function handedOffBy(from: Conversation | null, to: Conversation, actor: Actor): string | null {
  const isHandoff = from?.status === 'open' && to.handoff !== null && from.handoff?.at !== to.handoff.at;
  return isHandoff && actor.type === 'member' ? actor.id : null;
}
