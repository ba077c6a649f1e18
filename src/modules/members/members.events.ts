import type { MemberRecord } from './member.js';

/** A change of a member, with what is different now. */
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
