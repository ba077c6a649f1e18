import { defineError } from '../../kernel/domain-error.js';

export const MemberExists = defineError('conflict', 'member_exists', 'This e-mail is already an active member.');
export const MemberDeactivatedConflict = defineError(
  'conflict',
  'member_deactivated',
  'This e-mail belongs to a deactivated member; reactivate it.',
);
export const RoleTooHigh = defineError(
  'forbidden',
  'role_too_high',
  'Nobody grants or changes a role above their own.',
);
export const LastOwner = defineError('conflict', 'last_owner', 'A workspace keeps at least one active owner.');
