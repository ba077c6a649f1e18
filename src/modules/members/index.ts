export { AVAILABILITIES, toMemberRecord } from './member.js';
export type { Member, MemberDisplay, MemberRecord } from './member.js';
export { MembersModule } from './members.module.js';
export type { Membership } from './members.repository.js';
export { MembersService } from './members.service.js';
