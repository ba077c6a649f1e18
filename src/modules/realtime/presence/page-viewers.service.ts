import { Injectable, OnModuleInit } from '@nestjs/common';
import { toWireTime } from '../../../kernel/clock.js';
import type { RecordedEvent } from '../../../kernel/domain-event.js';
import { EventTailJob } from '../../../platform/events/event-tail.job.js';
import type { PresenceChange } from '../../../platform/presence/presence-change.js';
import { PresenceStore } from '../../../platform/presence/presence-store.js';
import type { SocketConnection } from '../../../platform/sockets/socket-connection.js';
import { SocketHub } from '../../../platform/sockets/socket-hub.js';
import type { VisitedPage } from '../../channels/index.js';
import { readPresentPage, visitorKey, visitorPageGroups, VisitorPagesService } from '../../contacts/index.js';
import type { ConversationScope } from '../../conversations/index.js';
import { ephemeralFrame } from '../ephemeral-frames.js';

/** A conversation whose visitor an agent's socket follows. */
export type FollowedConversation = Pick<ConversationScope, 'id' | 'workspaceId' | 'channelId' | 'contactId'>;

/** A socket follows the conversation of its room, and the one that it views. */
type Reason = 'room' | 'viewing';

type Followed = Map<Reason, FollowedConversation>;

/** Sends the pages of visitors to the agents' sockets that show one of their conversations. */
@Injectable()
export class PageViewersService implements OnModuleInit {
  private readonly followed = new Map<SocketConnection, Followed>();
  /** By visitor, the sockets that follow a conversation of it. */
  private readonly followers = new Map<string, Set<SocketConnection>>();

  constructor(
    private readonly store: PresenceStore,
    private readonly hub: SocketHub,
    private readonly tail: EventTailJob,
    private readonly pages: VisitorPagesService,
  ) {}

  onModuleInit(): void {
    this.store.listen(change => this.onChange(change));
    this.hub.observe({ joined: () => undefined, left: connection => this.unfollowAll(connection) });
    this.tail.listen(event => {
      if (event.type === 'conversation.updated') this.applyMerge(event as RecordedEvent<'conversation.updated'>);
    });
  }

  /** Follows the conversation instead of the one before, and sends the present page of its visitor. */
  follow(connection: SocketConnection, reason: Reason, conversation: FollowedConversation): void {
    this.unfollow(connection, reason);
    if (connection.closedAt !== null || !this.hub.connections.has(connection)) return;
    const followed: Followed = this.followed.get(connection) ?? new Map();
    this.followed.set(connection, followed.set(reason, conversation));
    const key = visitorKey(conversation);
    this.followers.set(key, (this.followers.get(key) ?? new Set()).add(connection));
    const present = this.pages.find(conversation);
    if (present) connection.send(pageFrame(conversation, present.page, present.at), true);
  }

  unfollow(connection: SocketConnection, reason: Reason): void {
    const followed = this.followed.get(connection);
    const conversation = followed?.get(reason);
    if (!followed || !conversation) return;
    followed.delete(reason);
    if (followed.size === 0) this.followed.delete(connection);
    const key = visitorKey(conversation);
    if ([...followed.values()].some(other => visitorKey(other) === key)) return;
    const followers = this.followers.get(key);
    followers?.delete(connection);
    if (followers?.size === 0) this.followers.delete(key);
  }

  private unfollowAll(connection: SocketConnection): void {
    for (const reason of [...(this.followed.get(connection)?.keys() ?? [])]) this.unfollow(connection, reason);
  }

  private onChange({ group, id: key, after, at }: PresenceChange): void {
    if (visitorPageGroups.parseWorkspaceId(group) === null) return;
    const present = readPresentPage(after) ?? { page: null, at: toWireTime(new Date(at)) };
    for (const connection of this.followers.get(key) ?? []) {
      const conversations = new Map(
        [...(this.followed.get(connection)?.values() ?? [])]
          .filter(conversation => visitorKey(conversation) === key)
          .map(conversation => [conversation.id, conversation]),
      );
      for (const conversation of conversations.values()) {
        connection.send(pageFrame(conversation, present.page, present.at), true);
      }
    }
  }

  /** Follows the remaining contact of a merge. */
  private applyMerge({ channelId, conversationId, payload: { changes } }: RecordedEvent<'conversation.updated'>): void {
    const { contact_id: moved } = changes;
    if (!moved || !channelId) return;
    const [from, to] = [String(moved.from), String(moved.to)];
    for (const connection of [...(this.followers.get(visitorKey({ contactId: from, channelId })) ?? [])]) {
      for (const [reason, conversation] of [...(this.followed.get(connection) ?? [])]) {
        if (conversation.id === conversationId) this.follow(connection, reason, { ...conversation, contactId: to });
      }
    }
  }
}

function pageFrame({ id, channelId, contactId }: FollowedConversation, page: VisitedPage | null, at: string) {
  const data = { conversation_id: id, contact_id: contactId, page, at };
  return ephemeralFrame('visitor.page', data, { conversation_id: id, channel_id: channelId });
}
