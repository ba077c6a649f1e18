import type { ConversationsReportView, MeView } from '@support-chat/sdk';

export type Figures = ConversationsReportView['totals'];
export type DurationFigures = Figures['first_response'];
export type ReportKind = 'conversations' | 'members' | 'channels' | 'tags';

/** @returns false for agents, and for sessions that are limited to some channels */
export function seesWholeWorkspace({ acting_role: role, scope }: MeView): boolean {
  return role !== 'agent' && scope.channel_ids === null;
}

/** @returns whether nothing at all was counted */
export function isEmpty({ created, resolved, reopened, messages_in, messages_out, bot_messages, csat }: Figures) {
  return [created, resolved, reopened, messages_in, messages_out, bot_messages, csat.count].every(count => count === 0);
}
