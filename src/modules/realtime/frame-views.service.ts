import { Injectable } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/domain-event.js';
import type { ContactRecord } from '../contacts/index.js';
import { ContactPresenceService } from '../contacts/index.js';
import type { MemberRecord } from '../members/index.js';
import { MemberPresenceService } from '../members/index.js';

/** What an event tells, as it is now: the log does not know who is there, frames of members and contacts do. */
@Injectable()
export class FrameViewsService {
  constructor(
    private readonly members: MemberPresenceService,
    private readonly contacts: ContactPresenceService,
  ) {}

  render({ type, workspaceId }: RecordedEvent, data: object): object {
    if (type === 'contact.updated') return this.contacts.addPresence(workspaceId, data as ContactRecord);
    if (type !== 'member.created' && type !== 'member.updated') return data;
    const member = data as MemberRecord;
    return { ...member, availability: this.members.getAvailability({ ...member, workspaceId }) };
  }
}
