import type { ChannelScope } from '../../kernel/channel-scope.js';
import type { VisitorPrincipal } from '../../kernel/principal.js';
import type { SocketGroup } from '../../kernel/socket-group.js';
import type { VisitorKind } from '../channels/index.js';
import { visitorKind } from '../channels/index.js';

/**
 * The topics of sockets. A socket joins the topics that its scope allows, and each event is sent to topics, so frames
 * are never filtered per socket. Agents and visitors never share a topic.
 */
export const topics = {
  /** All channels of a workspace, for agents with scope `all`. */
  inbox: (workspaceId: string) => `inbox:${workspaceId}`,
  /** One channel, for agents limited to some channels. */
  channel: (channelId: string) => `channel:${channelId}`,
  /** All agents of a workspace, whatever their scope. */
  agents: (workspaceId: string) => `agents:${workspaceId}`,
  /** One conversation, in the view of agents. */
  conversation: (conversationId: string) => `conversation:${conversationId}`,
  /** All conversations of a contact on one channel, in the view of the visitor. The same that its requests can read. */
  contact: (contactId: string, channelId: string) => `contact:${contactId}:${channelId}`,
  /** One conversation, for sockets of agents that say that they view it. */
  viewers: (conversationId: string) => `viewers:${conversationId}`,
  /** One conversation, in the view of the visitor. */
  visitorConversation: (conversationId: string) => `visitor-conversation:${conversationId}`,
  /** The sockets of a session; closed with it. */
  session: (sessionId: string) => `session:${sessionId}`,
  /** The sockets of a member, for changes of its scope. */
  member: (memberId: string) => `member:${memberId}`,
  /** The sockets opened with a contact's tokens of one generation; closed when these are revoked. */
  visitorTokens: (contactId: string, generation: number) => `visitor-tokens:${contactId}:${generation}`,
  /** The sockets opened with a channel's tokens of one generation, for verified or anonymous visitors. */
  channelTokens: (channelId: string, kind: VisitorKind, generation: number) =>
    `channel-tokens:${channelId}:${kind}:${generation}`,
  /** The visitors of conversations assigned to a member, for its presence. */
  servedBy: (memberId: string) => `served-by:${memberId}`,
  /** The sockets of a channel's visitors; closed with the channel. */
  channelVisitors: (channelId: string) => `channel-visitors:${channelId}`,
};

/** @returns the inbox topics that the scope allows */
export function inboxTopics(workspaceId: string, scope: ChannelScope): string[] {
  const scoped = scope === null ? [topics.inbox(workspaceId)] : scope.map(topics.channel);
  return [...scoped, topics.agents(workspaceId)];
}

const INBOX_TOPICS = [topics.inbox(''), topics.channel(''), topics.agents('')];

/** Tells whether `inboxTopics` can return the topic. */
export function isInboxTopic(topic: string): boolean {
  return INBOX_TOPICS.some(prefix => topic.startsWith(prefix));
}

/** @returns the topics that close when the visitor's token is revoked, by contact and by channel */
export function tokenTopics({
  contactId,
  channelId,
  verified,
  generation,
  channelGeneration,
}: VisitorPrincipal): string[] {
  return [
    topics.visitorTokens(contactId, generation),
    topics.channelTokens(channelId, visitorKind(verified), channelGeneration),
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
