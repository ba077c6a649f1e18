import type { ChannelScope } from '../../kernel/channel-scope.js';
import type { VisitorPrincipal } from '../../kernel/principal.js';
import type { SocketGroup } from '../../kernel/socket-group.js';
import type { VisitorKind } from '../channels/index.js';
import { visitorKind } from '../channels/index.js';

/**
 * The third lock: which topics a socket joins follows from the same scope that its requests have, and an event is sent
 * to topics; nobody filters frame by frame. Agents' topics and visitors' topics are never the same.
 */
export const topics = {
  /** Everything of a workspace's channels, for agents with scope `all`. */
  inbox: (workspaceId: string) => `inbox:${workspaceId}`,
  /** One channel's part of it, for agents limited to some channels. */
  channel: (channelId: string) => `channel:${channelId}`,
  /** What concerns every agent of a workspace, whatever its scope. */
  agents: (workspaceId: string) => `agents:${workspaceId}`,
  /** One conversation, in the agents' view. */
  conversation: (conversationId: string) => `conversation:${conversationId}`,
  /** All conversations of a contact on one channel, in the visitor's view: what its requests see, and no more. */
  contact: (contactId: string, channelId: string) => `contact:${contactId}:${channelId}`,
  /** One conversation, in the visitor's view. */
  visitorConversation: (conversationId: string) => `visitor-conversation:${conversationId}`,
  /** The sockets that one session has opened; closed with it. */
  session: (sessionId: string) => `session:${sessionId}`,
  /** A member's sockets: they end with the membership, and follow its scope. */
  member: (memberId: string) => `member:${memberId}`,
  /** The sockets that a contact's tokens of one generation have opened; closed when those are refused. */
  visitorTokens: (contactId: string, generation: number) => `visitor-tokens:${contactId}:${generation}`,
  /** The sockets that a channel's tokens of one generation have opened, of verified visitors or of others. */
  channelTokens: (channelId: string, kind: VisitorKind, generation: number) =>
    `channel-tokens:${channelId}:${kind}:${generation}`,
  /** The visitors with whom a member talks: they hear whether it is there. */
  servedBy: (memberId: string) => `served-by:${memberId}`,
  /** The sockets of a channel's visitors; closed with it. */
  channelVisitors: (channelId: string) => `channel-visitors:${channelId}`,
};

/** The rooms of the shared inbox that a scope opens. */
export function inboxTopics(workspaceId: string, scope: ChannelScope): string[] {
  const rooms = scope === null ? [topics.inbox(workspaceId)] : scope.map(topics.channel);
  return [...rooms, topics.agents(workspaceId)];
}

const INBOX_TOPICS = [topics.inbox(''), topics.channel(''), topics.agents('')];

/** Whether a scope opens the topic: one of those that `inboxTopics` answers. */
export function isInboxTopic(topic: string): boolean {
  return INBOX_TOPICS.some(prefix => topic.startsWith(prefix));
}

/** The topics that close when the token of the visitor is refused: its contact's, and its channel's. */
export function tokenTopics({ contactId, channelId, verified, ...of }: VisitorPrincipal): string[] {
  return [
    topics.visitorTokens(contactId, of.generation),
    topics.channelTokens(channelId, visitorKind(verified), of.channelGeneration),
  ];
}

/** The topic of the sockets that an event closes. */
export function topicOf(group: SocketGroup): string {
  switch (group.of) {
    case 'session':
      return topics.session(group.sessionId);
    case 'contactTokens':
      return topics.visitorTokens(group.contactId, group.generation);
    case 'channelTokens':
      return topics.channelTokens(group.channelId, group.kind, group.generation);
    case 'channelVisitors':
      return topics.channelVisitors(group.channelId);
  }
}
