import type { AgentClient, AgentSocket, MemberView, MessageView, NotificationView } from '@support-chat/sdk';
import { throttle } from './pace.js';
import { recordMessages } from './received-messages.js';
import { Received } from './received.js';

/** An agent with an open socket, to whom the service may assign conversations. */
export class OnlineAgent {
  readonly messages: Received<MessageView>;
  readonly notifications = new Received<NotificationView>();
  readonly showTyping: (conversationId: string) => void;

  private constructor(
    readonly client: AgentClient,
    readonly member: MemberView,
    private readonly socket: AgentSocket,
  ) {
    this.messages = recordMessages(socket);
    socket.on('notification.created', ({ data }) => this.notifications.add(data.notification));
    this.showTyping = throttle(id => socket.typing(id));
  }

  /**
   * @param client a client that is logged in
   * @throws ApiError when the socket cannot be opened
   */
  static async connect(client: AgentClient): Promise<OnlineAgent> {
    const { member } = await client.me();
    return new OnlineAgent(client, member, await client.connect());
  }

  forget(conversationId: string): void {
    this.messages.forget(conversationId);
    this.notifications.forget(conversationId);
  }

  disconnect(): void {
    this.socket.close();
  }
}
