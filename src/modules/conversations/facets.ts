import type { Conversation, Priority } from './conversation.js';

/** Written by a consumer of the event log, at most two seconds late, like those of members. All others are exact. */
export const UNREAD = 'unread';

export const SCORES = ['1', '2', '3', '4', '5'] as const;

export function priorityFacet(priority: Priority): string {
  return `priority:${priority}`;
}

export function scoreFacet(score: number | string): string {
  return `csat:${score}`;
}

/** Conversations in which the member takes part have it. */
export function participantFacet(memberId: string): string {
  return `participant:${memberId}`;
}

/** Conversations in which the member was mentioned have it. */
export function mentionFacet(memberId: string): string {
  return `mentioned:${memberId}`;
}

export function tagFacet(tagId: string): string {
  return `tag:${tagId}`;
}

/** The facets that change only together with the conversation. */
export function facetsOf({ priority, csat, tagIds }: Pick<Conversation, 'priority' | 'csat' | 'tagIds'>): string[] {
  return [
    ...(priority === 'none' ? [] : [priorityFacet(priority)]),
    ...(csat === null ? [] : [scoreFacet(csat.score)]),
    ...tagIds.map(tagFacet),
  ];
}
