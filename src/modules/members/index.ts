export { JoiningService } from './joining.service.js';
export { MemberTeardownHooks, MemberScopeHooks } from './member-teardown-hooks.js';
export {
  MemberPresenceService,
  memberPresenceGroups,
  readMemberMetadata,
  toMemberMetadata,
} from './member-presence.service.js';
export { AVAILABILITIES, toMemberRecord } from './member.js';
export type { Member, MemberDisplay, MemberRecord, Membership } from './member.js';
export { LastOwner, MemberExists, RoleTooHigh } from './members.errors.js';
export { MembersModule } from './members.module.js';
export { MembersService } from './members.service.js';
export type { NotificationSettings, NotificationType } from './notification-settings.js';
export { NOTIFICATION_TYPES } from './notification-settings.js';
