import type { ConversationCountsView } from '@support-chat/sdk';
import type { ListFilter } from '../store/view-filter.js';
import type { InboxText } from './texts/index.js';

/** A view that every member has. */
export interface BuiltInView {
  /** Its part of the address: `/inbox/mine`. */
  readonly path: string;
  readonly name: InboxText;
  /** One sentence for the empty list. */
  readonly empty: InboxText;
  readonly filter: ListFilter;
  /** Its number in the counts of the inbox. */
  readonly count?: keyof ConversationCountsView;
}

export const BUILT_IN_VIEWS: readonly [BuiltInView, ...BuiltInView[]] = [
  { path: 'mine', name: 'mine', empty: 'mineEmpty', filter: { status: 'open', assignee: 'me' }, count: 'mine' },
  {
    path: 'unassigned',
    name: 'unassigned',
    empty: 'unassignedEmpty',
    filter: { status: 'open', assignee: 'none' },
    count: 'unassigned',
  },
  { path: 'waiting', name: 'waiting', empty: 'waitingEmpty', filter: { sort: 'waiting' }, count: 'waiting' },
  {
    path: 'mentioned',
    name: 'mentioned',
    empty: 'mentionedEmpty',
    filter: { mentioned: 'me' },
    count: 'mentioned_unread',
  },
  { path: 'participating', name: 'participating', empty: 'participatingEmpty', filter: { participating: 'me' } },
  { path: 'open', name: 'open', empty: 'openEmpty', filter: { status: 'open' }, count: 'open' },
  { path: 'bots', name: 'withBots', empty: 'withBotsEmpty', filter: { status: 'pending' }, count: 'pending' },
  { path: 'snoozed', name: 'snoozed', empty: 'snoozedEmpty', filter: { status: 'snoozed' }, count: 'snoozed' },
  { path: 'resolved', name: 'resolved', empty: 'resolvedEmpty', filter: { status: 'resolved' } },
  { path: 'all', name: 'all', empty: 'allEmpty', filter: {} },
];
