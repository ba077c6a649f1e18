import { ApiError } from '@support-chat/sdk';

/** The link of an invite or of a new password does not work. One that was cut off may be too short for the service. */
export function isAboutLink(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const isRefused = error.code === 'invite_invalid' || error.code === 'reset_invalid';
  return isRefused || error.details.some(({ field }) => field === 'invite_token' || field === 'reset_token');
}
