import { defineError } from '../../kernel/domain-error.js';

export const MemberNotFound = defineError(
  'not_found',
  'member_not_found',
  'No active member of the workspace has this e-mail.',
);
/** One code for every invalid ticket, so that the response does not reveal that it was valid once. */
export const SsoTicketInvalid = defineError(
  'unauthenticated',
  'sso_ticket_invalid',
  'The ticket is unknown, used or expired. Request a new one.',
);
export const WorkspaceBound = defineError(
  'forbidden',
  'workspace_bound',
  'A session that was opened by an API key or is limited to some channels cannot open another workspace.',
);
