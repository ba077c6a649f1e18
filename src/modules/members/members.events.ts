import type { MemberRecord } from './member.js';

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'member.created': MemberRecord;
    'member.updated': MemberRecord;
  }
}
