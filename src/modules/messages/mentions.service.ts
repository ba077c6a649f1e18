import { Injectable } from '@nestjs/common';
import type { Conversation } from '../conversations/index.js';
import { canServe } from '../conversations/index.js';
import { MembersService } from '../members/index.js';
import { MentionInvalid } from './messages.errors.js';
import { parseMentions } from './message-metadata.js';

/** Checks the members whom a private note mentions. */
@Injectable()
export class MentionsService {
  constructor(private readonly members: MembersService) {}

  /** @returns the metadata with each mention once @throws MentionInvalid if one is no active member who sees the channel */
  async resolve(
    { workspaceId, channelId }: Conversation,
    metadata: Record<string, unknown>,
  ): Promise<Record<string, unknown>> {
    if (metadata.mentions === undefined) return metadata;
    const mentions = parseMentions(metadata.mentions);
    if (!mentions) throw new MentionInvalid();
    const members = await this.members.findMany(workspaceId, mentions);
    if (members.filter(member => canServe(member, channelId)).length < mentions.length) throw new MentionInvalid();
    return { ...metadata, mentions };
  }
}
