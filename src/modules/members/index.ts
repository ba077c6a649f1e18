export { JoiningService } from './joining.service.js';
export { MemberHoldings, MemberScopeHoldings } from './member-holdings.js';
export { MemberPresence, memberRooms, readMemberNote, toMemberNote } from './member-presence.service.js';
export { AVAILABILITIES, toMemberRecord } from './member.js';
export type { Availability, Member, MemberDisplay, MemberRecord, Membership } from './member.js';
export { LastOwner, MemberExists, RoleTooHigh } from './members.errors.js';
export { MembersModule } from './members.module.js';
export { MembersService } from './members.service.js';
