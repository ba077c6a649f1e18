import { defineError } from '../../kernel/domain-error.js';
import { TokenRevoked } from '../../kernel/errors.js';

export const InvalidCredentials = defineError(
  'unauthenticated',
  'invalid_credentials',
  'The e-mail or the password is wrong.',
);
export const MemberDeactivated = defineError(
  'forbidden',
  'member_deactivated',
  'The member is deactivated. An admin can reactivate it.',
  'memberDeactivated',
);
export const RegistrationDisabled = defineError(
  'forbidden',
  'registration_disabled',
  'Registration is disabled on this server.',
);
export const ResetInvalid = defineError(
  'unauthenticated',
  'reset_invalid',
  'The reset link is unknown, used or expired. Request a new one.',
);

/** HTTP requests get `token_revoked` for a deactivated member's token; the socket handshake tells the two apart. */
export class DeactivatedMembersToken extends TokenRevoked {}
