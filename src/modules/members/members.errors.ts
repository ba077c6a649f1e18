import { defineError } from '../../kernel/domain-error.js';

export const MemberExists = defineError('conflict', 'member_exists', 'An active member already has this e-mail.');
export const MemberDeactivatedConflict = defineError(
  'conflict',
  'member_deactivated',
  'A deactivated member has this e-mail. Reactivate that member.',
);
export const RoleTooHigh = defineError(
  'forbidden',
  'role_too_high',
  'You cannot grant or change a role above your own.',
);
export const LastOwner = defineError(
  'conflict',
  'last_owner',
  'The workspace needs at least one active owner who sees all channels and can sign in by password.',
);
