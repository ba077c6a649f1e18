import type { AgentFrames, AgentSocket } from '../../../clients/sdk/src/index.js';
import { AgentClient } from '../../../clients/sdk/src/index.js';
import { eventually } from '../../support/eventually.js';
import { PASSWORD } from '../../support/unique.js';
import { PATIENCE_MS, type Company } from './company.js';

type AgentFrame = AgentFrames[keyof AgentFrames & string];

/** An agent of a company with the SDK's client, connected by a socket. */
export class LiveAgent {
  /** Frames in order of their arrival. */
  readonly frames: AgentFrame[] = [];

  private constructor(
    readonly client: AgentClient,
    readonly socket: AgentSocket,
  ) {
    socket.on('*', frame => this.frames.push(frame));
  }

  /** @param url of the instance to connect to */
  static async connect(company: Company, url: string): Promise<LiveAgent> {
    const client = new AgentClient({ baseUrl: url });
    await client.login({ email: company.desk.email, password: PASSWORD });
    const agent = new LiveAgent(client, client.live());
    await agent.socket.open();
    return agent;
  }

  /** Contents of the messages of people that have arrived, in order of their arrival. */
  get received(): (string | null)[] {
    return this.frames.flatMap(frame =>
      frame.type === 'message.created' && frame.data.message.content_type === 'text'
        ? [frame.data.message.content]
        : [],
    );
  }

  /** Waits for a frame, past or future. */
  receives(accepts: (frame: AgentFrame) => boolean): Promise<AgentFrame> {
    return eventually(() => this.frames.find(accepts), PATIENCE_MS);
  }

  /** Waits for a message, past or future. */
  async reads(text: string): Promise<void> {
    await eventually(() => this.received.includes(text) || undefined, PATIENCE_MS);
  }

  leave(): void {
    this.socket.close();
  }
}
