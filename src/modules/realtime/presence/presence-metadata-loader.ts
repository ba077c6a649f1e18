import { Injectable } from '@nestjs/common';
import type { PresenceSubject } from '../../../kernel/presence.js';
import { toContactMetadata, ContactsService } from '../../contacts/index.js';
import { MembersService, toMemberMetadata } from '../../members/index.js';

interface PendingLoad {
  subject: PresenceSubject;
  tell: (note: string | null) => void;
  fail: (error: unknown) => void;
}

/** What the roster is told of those who come in: of a thousand who come at once it is read in two statements. */
@Injectable()
export class PresenceMetadataLoader {
  private pending: PendingLoad[] = [];
  private asking = false;

  constructor(
    private readonly members: MembersService,
    private readonly contacts: ContactsService,
  ) {}

  /** null for one who is not there any more. */
  load(subject: PresenceSubject): Promise<string | null> {
    return new Promise((tell, fail) => {
      this.pending.push({ subject, tell, fail });
      if (!this.asking) void this.flush();
    });
  }

  private async flush(): Promise<void> {
    this.asking = true;
    // those who come in this turn go together, and those who come while it is asked in the next
    await new Promise(resolve => setImmediate(resolve));
    while (this.pending.length > 0) {
      const questions = this.pending.splice(0, 1_000);
      try {
        const notes = await this.read(questions.map(({ subject }) => subject));
        for (const { subject, tell } of questions) tell(notes.get(subject.id) ?? null);
      } catch (error) {
        for (const { fail } of questions) fail(error);
      }
    }
    this.asking = false;
  }

  private async read(subjects: readonly PresenceSubject[]): Promise<Map<string, string>> {
    const of = (type: PresenceSubject['type']) => subjects.filter(subject => subject.type === type);
    const members = await this.members.findPresenceMetadata(of('member'));
    const contacts = await this.contacts.findChannelIds(of('contact'));
    return new Map([
      ...members.map(({ id, ...note }): [string, string] => [id, toMemberMetadata(note)]),
      ...contacts.map(({ id, channels }): [string, string] => [id, toContactMetadata(channels)]),
    ]);
  }
}
