import type { History, HistoryEntry } from './histories.repository.js';
import type { LoggedAct, LoggedKind } from './logged-act.js';

/**
 * Returns the acts of a conversation that the log no longer tells of. Tags are those of now. The tables know the
 * assignee at the last resolve; at earlier ones it is the last that a private entry names.
 */
export function actsOf(history: History): LoggedAct[] {
  const { response, rating } = history;
  const acts = entryActs(history);
  const add = (at: string | Date, memberId: string | null, kind: LoggedKind) =>
    acts.push(toAct(history, new Date(at), memberId, kind));
  if (history.counts) add(history.createdAt, null, { kind: 'created' });
  if (response) add(response.at, response.memberId, { kind: 'answered', askedAt: new Date(response.askedAt) });
  if (rating) add(rating.at, rating.memberId, { kind: 'rated', score: rating.score });
  return acts;
}

function entryActs(history: History): LoggedAct[] {
  const acts: LoggedAct[] = [];
  const lastResolve = history.entries.findLast(isResolve);
  let assigneeId: string | null = null;
  let accountableId: string | null = null;
  for (const entry of history.entries) {
    if (entry.assigneeId !== undefined) assigneeId = entry.assigneeId;
    const at = new Date(entry.at);
    if (isResolve(entry)) {
      const isCurrent = history.isResolved && entry === lastResolve;
      accountableId = isCurrent ? history.accountableId : assigneeId;
      const byBot = isCurrent && history.resolvedByBot;
      acts.push(toAct(history, at, accountableId, { kind: 'resolved', byBot }, entry));
    }
    if (entry.event === 'reopened') acts.push(toAct(history, at, accountableId, { kind: 'reopened' }, entry));
  }
  return acts;
}

function isResolve({ event }: HistoryEntry): boolean {
  return event === 'resolved' || event === 'closed_by_contact';
}

function toAct(history: History, at: Date, memberId: string | null, kind: LoggedKind, entry?: HistoryEntry): LoggedAct {
  const { workspaceId, id: conversationId, channelId, tagIds } = history;
  const { id: messageId = '', seq = 0 } = entry ?? {};
  return { workspaceId, conversationId, channelId, messageId, seq, memberId, tagIds, at, ...kind };
}
