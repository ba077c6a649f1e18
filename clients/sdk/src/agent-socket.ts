import type { Credential } from './authorized-api.js';
import type { AgentFrames, ClientFrame } from './frames.js';
import { LiveSocket, type LiveOptions } from './live-socket.js';

type ViewingFrame = Extract<ClientFrame, { type: 'viewing' }>;

/** Socket of an agent, which also reports the conversation that the agent views. */
export class AgentSocket extends LiveSocket<AgentFrames> {
  private viewed: ViewingFrame | undefined;

  constructor(
    url: string,
    query: Record<string, string | undefined>,
    credential: Credential,
    options: LiveOptions = {},
  ) {
    super(url, query, credential, options);
    // the service forgets the view when the connection ends
    this.on('connected', () => {
      if (this.viewed?.conversation_id) super.send(this.viewed);
    });
  }

  override send(frame: ClientFrame): boolean {
    if (frame.type === 'viewing') this.viewed = frame;
    return super.send(frame);
  }

  /**
   * Shows the other agents that this agent has the conversation open; null means none. The socket repeats it after each
   * reconnect. The service answers with `viewing.updated`, the ids of all members who view it.
   * @returns false when there is no connection; the next connection sends it
   */
  viewing(conversationId: string | null): boolean {
    return this.send({ type: 'viewing', conversation_id: conversationId });
  }
}
