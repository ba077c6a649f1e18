import type { MemberRecord } from './member.js';

/** A changed member, with the names of the changed fields. */
export interface MemberUpdated {
  member: MemberRecord;
  changed: (keyof MemberRecord)[];
}

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'member.created': MemberRecord;
    'member.updated': MemberUpdated;
  }
}
