import type { EventDefinitions } from '../../kernel/event-definition.js';
import { auditedAs, workspaceRecord } from '../../kernel/event-definition.js';
import type { MemberRecord } from './member.js';

/** A changed member, with the names of the changed fields. */
interface MemberUpdated {
  member: MemberRecord;
  changed: (keyof MemberRecord)[];
}

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'member.created': MemberRecord;
    'member.updated': MemberUpdated;
  }
}

export const MEMBER_EVENTS: EventDefinitions<'member.created' | 'member.updated'> = {
  'member.created': {
    summary: 'A member was added.',
    ...workspaceRecord('MemberView'),
    audit: auditedAs('member'),
    personal: 'none',
  },
  'member.updated': {
    summary: 'A member was updated.',
    agents: { room: 'workspace', shape: 'MemberView', data: ({ payload }) => payload.member },
    visitor: null,
    public: ({ payload }) => payload.member,
    audit: ({ member: { id } }) => ({ type: 'member', id }),
    personal: 'none',
  },
};
