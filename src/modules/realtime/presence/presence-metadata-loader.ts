import { Injectable } from '@nestjs/common';
import type { PresenceSubject } from '../../../kernel/presence.js';
import { toContactMetadata, ContactsService } from '../../contacts/index.js';
import { MembersService, toMemberMetadata } from '../../members/index.js';

interface PendingLoad {
  subject: PresenceSubject;
  resolve: (metadata: string | null) => void;
  reject: (error: unknown) => void;
}

/** Loads the presence metadata of connecting subjects in batches: two statements for a thousand at once. */
@Injectable()
export class PresenceMetadataLoader {
  private pending: PendingLoad[] = [];
  private flushing = false;

  constructor(
    private readonly members: MembersService,
    private readonly contacts: ContactsService,
  ) {}

  /** @returns null for a subject that no longer exists */
  load(subject: PresenceSubject): Promise<string | null> {
    return new Promise((resolve, reject) => {
      this.pending.push({ subject, resolve, reject });
      if (!this.flushing) void this.flush();
    });
  }

  private async flush(): Promise<void> {
    this.flushing = true;
    // one batch per turn of the event loop; loads requested during a query go into the next batch
    await new Promise(resolve => setImmediate(resolve));
    while (this.pending.length > 0) {
      const batch = this.pending.splice(0, 1_000);
      try {
        const metadata = await this.read(batch.map(({ subject }) => subject));
        for (const { subject, resolve } of batch) resolve(metadata.get(subject.id) ?? null);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.flushing = false;
  }

  private async read(subjects: readonly PresenceSubject[]): Promise<Map<string, string>> {
    const ofType = (type: PresenceSubject['type']) => subjects.filter(subject => subject.type === type);
    const members = await this.members.findPresenceMetadata(ofType('member'));
    const contacts = await this.contacts.findChannelIds(ofType('contact'));
    return new Map([
      ...members.map(({ id, ...member }): [string, string] => [id, toMemberMetadata(member)]),
      ...contacts.map(({ id, channels }): [string, string] => [id, toContactMetadata(channels)]),
    ]);
  }
}
