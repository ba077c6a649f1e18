import type { ConversationView, MessageView } from '@support-chat/sdk';
import type { ListFilter } from './view-filter.js';

/** The part of a store that is shown before the service has answered. All of it may be outdated. */
export interface StoreSnapshot {
  /** The conversations of the list and of the threads, without unconfirmed actions. */
  readonly conversations: readonly ConversationView[];
  readonly list: { readonly query: ListFilter; readonly ids: readonly string[]; readonly hasMore: boolean } | undefined;
  readonly threads: readonly ThreadSnapshot[];
}

export interface ThreadSnapshot {
  readonly conversationId: string;
  /** The newest ones. */
  readonly messages: readonly MessageView[];
  readonly hasOlder: boolean;
}
