import type { VisitorClient } from '@support-chat/sdk';
import type { ChatCore } from './chat-core.js';
import { UNKNOWN_AGE } from './state/chat-state.js';

const PAGE_SIZE = 50;

/** Reads the messages of conversations, page by page. */
export class MessagesLoader {
  /** Conversations whose messages could not be loaded. */
  readonly failed = new Set<string>();

  constructor(private readonly chat: ChatCore) {}

  /** Reads the newest messages of a conversation unless they are known. */
  async load(id: string, again = false): Promise<void> {
    const { state } = this.chat;
    const known = state.threads.get(id);
    if (known?.older !== undefined && !again) return;
    await this.attempt(id, async client => {
      if (!known) state.applyConversation(await client.conversation(id), UNKNOWN_AGE);
      const page = await client.messages(id, { limit: PAGE_SIZE });
      // Older ones may have changed, and there may be a gap before the page.
      state.forgetMessages(id, page.items[0]?.seq);
      state.applyMessages(id, page);
    });
  }

  async loadOlder(id: string): Promise<void> {
    const { state } = this.chat;
    const thread = state.threads.get(id);
    const cursor = thread?.older;
    if (!cursor) return;
    await this.attempt(id, async client => {
      const page = await client.messages(id, { cursor, limit: PAGE_SIZE });
      // Otherwise the newest ones have been read again, and the page would leave a gap before them.
      if (thread.older === cursor) state.applyMessages(id, page);
    });
  }

  private async attempt(id: string, load: (client: VisitorClient) => Promise<void>): Promise<void> {
    const { chat } = this;
    this.failed.delete(id);
    try {
      await load(await chat.connection.client());
    } catch (error) {
      this.failed.add(id);
      // A conversation of a former visitor of this browser is not found.
      if ((error as { status?: number }).status === 404) chat.show({ name: 'home' });
    }
    chat.changed();
  }
}
