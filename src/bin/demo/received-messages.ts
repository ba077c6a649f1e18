import type { AgentSocket, MessageView, VisitorSocket } from '@support-chat/sdk';
import { Received } from './received.js';

/** Records every `message.created` of a socket. Entries of the timeline are messages too. */
export function recordMessages(socket: AgentSocket | VisitorSocket): Received<MessageView> {
  const received = new Received<MessageView>();
  // the two socket types differ only in their view of a conversation, which is not used here
  const source = socket as VisitorSocket;
  source.on('message.created', ({ data }) => received.add(data.message));
  source.on('closed', ({ code, reason, willReconnect }) => {
    if (!willReconnect) received.end(`the socket was closed: ${code} ${reason}`);
  });
  return received;
}
