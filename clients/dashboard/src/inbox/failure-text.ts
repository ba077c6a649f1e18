import { ApiError } from '@support-chat/sdk';
import { formats, t, type InboxText } from './texts/index.js';

const CODES: Record<string, InboxText> = {
  assignee_unavailable: 'failureAssignee',
  conversation_exists: 'failureExists',
  edit_window_over: 'failureTooLate',
  invalid_transition: 'failureTransition',
  body_too_large: 'failureTooLarge',
  storage_quota: 'failureQuota',
  attachment_type_refused: 'failureFileType',
  not_found: 'failureGone',
};

/** Why a call failed, as a sentence. */
export function failureText(error: unknown): string {
  if (!(error instanceof ApiError)) return t('failureHere');
  const key = CODES[error.code];
  if (key) return t(key);
  if (error.retryAfter !== undefined) return t('failureBusy', { time: formats().duration(error.retryAfter) });
  if (error.transient || error.status === 0) return t('failureNetwork');
  return error.message;
}
