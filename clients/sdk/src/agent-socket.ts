import type { Credential } from './authorized-api.js';
import type { AgentFrames } from './frames.js';
import { LiveSocket, type LiveOptions } from './live-socket.js';

/** An agent's socket: it also says what its agent has before it. */
export class AgentSocket extends LiveSocket<AgentFrames> {
  private viewedConversationId: string | null = null;

  constructor(
    url: string,
    query: Record<string, string | undefined>,
    credential: Credential,
    options: LiveOptions = {},
  ) {
    super(url, query, credential, options);
    // a view ends with its connection
    this.on('connected', () => {
      if (this.viewedConversationId !== null) this.sendViewing();
    });
  }

  /**
   * Shows the others that this agent has the conversation before it, until it has another, or none (null); said again
   * after each reconnect. Answered with `viewing.updated`, which names all who do.
   * @returns false when there is no connection just now: it is said with the next
   */
  viewing(conversationId: string | null): boolean {
    this.viewedConversationId = conversationId;
    return this.sendViewing();
  }

  private sendViewing(): boolean {
    return this.send({ type: 'viewing', conversation_id: this.viewedConversationId });
  }
}
