import { ApiError } from '@support-chat/sdk';
import { formatDuration } from './format.js';
import { t } from './texts/index.js';

/** @returns why something could not be loaded, and the next step */
export function failureText(error: unknown): string {
  if (!(error instanceof ApiError)) return t('failedHere');
  if (error.code === 'rate_limited') {
    return error.retryAfter === undefined ? t('tooManySoon') : t('tooMany', { time: formatDuration(error.retryAfter) });
  }
  if (error.status === 403) return t('forbidden');
  if (error.transient || error.status === 0) return t('unreachable');
  return t('refused', { message: error.details[0]?.message ?? error.message });
}
