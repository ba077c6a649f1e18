import { Injectable, OnModuleInit } from '@nestjs/common';
import { AvailabilityService } from '../availability/index.js';
import { ChannelsService } from '../channels/index.js';
import type { Conversation, ConversationChange } from '../conversations/index.js';
import { ConversationChangeHooks } from '../conversations/index.js';
import type { ContactMessage } from '../messages/index.js';
import { AutomaticMessagesService, ContactMessageHooks } from '../messages/index.js';
import { WorkspacesService } from '../workspaces/index.js';

/**
 * Answers a contact with the channel's away message while nobody is there: once per opening, at the contact's first
 * message, or when the bot hands the conversation over.
 */
@Injectable()
export class AwayListener implements OnModuleInit {
  constructor(
    private readonly channels: ChannelsService,
    private readonly workspaces: WorkspacesService,
    private readonly availability: AvailabilityService,
    private readonly automaticMessages: AutomaticMessagesService,
    private readonly contactMessageHooks: ContactMessageHooks,
    private readonly changeHooks: ConversationChangeHooks,
  ) {}

  onModuleInit(): void {
    this.contactMessageHooks.add(received => this.onContactMessage(received));
    this.changeHooks.add(changes => this.onChanges(changes));
  }

  private async onContactMessage({ conversation, firstOfOpening }: ContactMessage): Promise<void> {
    if (firstOfOpening && conversation.control === 'human') await this.answer([conversation]);
  }

  private async onChanges(changes: readonly ConversationChange[]): Promise<void> {
    await this.answer(changes.filter(isHandedOverByBot).map(({ to }) => to));
  }

  private async answer(conversations: readonly Conversation[]): Promise<void> {
    const messages = new Map<string, string | null>();
    for (const conversation of conversations) {
      const { workspaceId, channelId } = conversation;
      if (!messages.has(channelId)) messages.set(channelId, await this.findAwayMessage(workspaceId, channelId));
      const content = messages.get(channelId) ?? null;
      if (content !== null) await this.automaticMessages.append(conversation, 'away', content);
    }
  }

  /** @returns null while somebody is there, and for a channel without an away message */
  private async findAwayMessage(workspaceId: string, channelId: string): Promise<string | null> {
    const channel = await this.channels.find(workspaceId, channelId);
    const content = channel?.widgetConfig.away_message.trim() ?? '';
    if (!channel || content === '') return null;
    const workspace = await this.workspaces.find(workspaceId);
    return workspace && this.availability.isAway(channel, workspace) ? content : null;
  }
}

/** A member who takes a conversation over is there, so that is no handover. */
function isHandedOverByBot({ from, to }: ConversationChange): boolean {
  return from?.status === 'pending' && to.status === 'open' && to.handoff !== from.handoff;
}
