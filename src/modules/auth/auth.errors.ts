import { defineError } from '../../kernel/domain-error.js';
import { TokenRevoked } from '../../kernel/errors.js';

export const InvalidCredentials = defineError('unauthenticated', 'invalid_credentials', 'E-mail or password is wrong.');
export const MemberDeactivated = defineError('forbidden', 'member_deactivated', 'The member is deactivated.');
export const RegistrationDisabled = defineError('forbidden', 'registration_disabled', 'Registration is closed here.');
export const ResetInvalid = defineError(
  'unauthenticated',
  'reset_invalid',
  'The reset link is unknown, spent or too old; ask for a new one.',
);

/** To requests a deactivated member's token is a revoked one; the socket's door tells it apart. */
export class DeactivatedMembersToken extends TokenRevoked {}
