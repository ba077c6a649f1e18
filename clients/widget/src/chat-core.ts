import type { VisitorContactView } from '@support-chat/sdk';
import type { Translator } from '@support-chat/ui/translator.js';
import type { Announcement } from './announce.js';
import type { Connection } from './connection.js';
import type { MessageKey } from './messages.js';
import type { Shell } from './seam.js';
import type { Sound } from './sound.js';
import type { ChatState } from './state/chat-state.js';
import type { Outbox } from './state/outbox.js';
import type { Thread } from './state/thread.js';
import type { VisitorStorage } from './state/visitor-storage.js';

/** The view: the first screen, or a conversation. A conversation without an id begins with its first message. */
export type Route = { name: 'home' } | { name: 'thread'; id: string | null };

/** The chat as its parts use it, such as the delivery of messages and the handling of frames. */
export interface ChatCore {
  readonly shell: Shell;
  readonly config: Shell['config'];
  readonly text: Translator<MessageKey>['text'];
  readonly storage: VisitorStorage;
  readonly connection: Connection;
  readonly outbox: Outbox;
  readonly sound: Sound;
  readonly state: ChatState;
  readonly loader: { readonly failed: ReadonlySet<string>; load(id: string, again?: boolean): Promise<void> };
  readonly route: Route;
  /** Id of the conversation that is shown; null for a new one and on the first screen. */
  readonly conversationId: string | null;
  readonly thread: Thread | undefined;
  readonly isOpen: boolean;
  readonly draft: string;
  contact: VisitorContactView | undefined;
  announcements: Announcement[];
  /** Ids of the messages that this tab has shown as the first ones of a new conversation. */
  firstIds: string[];
  show(route: Route): void;
  /** Shows the conversation that messages went to, with what has been written since. */
  follow(from: string | null, to: string): void;
  changed(): void;
}
