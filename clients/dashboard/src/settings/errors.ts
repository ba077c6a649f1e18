import type { CodeTexts } from '../forms/failure.js';
import { describeError } from '../forms/describe-error.js';
import { t, type TextKey } from './texts/index.js';

/** Errors that every screen of the settings can meet. */
export const COMMON_CODES = {
  forbidden: { key: 'roleTooLow' },
  scope_too_narrow: { key: 'roleTooLow' },
  not_found: { key: 'gone' },
} as const satisfies CodeTexts<TextKey>;

/** The sentence of an error, without texts of a screen. */
export const describe = (error: unknown): string => describeError<TextKey>(error, COMMON_CODES, t);
