import { describeError } from '../../forms/describe-error.js';
import { COMMON_CODES } from '../errors.js';
import { t, type TextKey } from './texts/index.js';

export const MEMBER_CODES = {
  ...COMMON_CODES,
  role_too_high: { key: 'roleTooHigh' },
  last_owner: { key: 'lastOwner' },
  invite_not_pending: { key: 'notPending' },
} as const;

/** The sentence of a refused change of a member or an invite. */
export const describe = (error: unknown): string => describeError<TextKey>(error, MEMBER_CODES, t);
