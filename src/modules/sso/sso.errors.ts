import { defineError } from '../../kernel/domain-error.js';

export const MemberNotFound = defineError(
  'not_found',
  'member_not_found',
  'No active member of the workspace has this e-mail.',
);
/** One for every bad ticket: that it was good once is not for whoever holds it now. */
export const SsoTicketInvalid = defineError(
  'unauthenticated',
  'sso_ticket_invalid',
  'The ticket is unknown, spent or too old; ask for a new one.',
);
export const WorkspaceBound = defineError(
  'forbidden',
  'workspace_bound',
  'A session that an API key has minted, or that is limited to some channels, cannot leave its workspace.',
);
