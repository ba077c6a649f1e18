import { Injectable } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/domain-event.js';
import { AttachmentViewsService } from '../attachments/index.js';
import type { ContactRecord } from '../contacts/index.js';
import { ContactPresenceService } from '../contacts/index.js';
import type { MemberRecord } from '../members/index.js';
import { MemberPresenceService } from '../members/index.js';

/**
 * Adds what the log does not contain: current presence to the data of member and contact events, and URLs to the files of
 * messages.
 */
@Injectable()
export class FrameViewsService {
  constructor(
    private readonly members: MemberPresenceService,
    private readonly contacts: ContactPresenceService,
    private readonly attachments: AttachmentViewsService,
  ) {}

  render({ type, workspaceId }: RecordedEvent, data: object): object {
    if (type === 'message.created' || type === 'message.updated') return this.attachments.render(data);
    if (type === 'contact.updated') return this.contacts.addPresence(workspaceId, data as ContactRecord);
    if (type !== 'member.created' && type !== 'member.updated') return data;
    const member = data as MemberRecord;
    return { ...member, availability: this.members.getAvailability({ ...member, workspaceId }) };
  }
}
