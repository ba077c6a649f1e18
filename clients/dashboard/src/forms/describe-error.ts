import type { Values } from '@support-chat/ui/translator.js';
import { formats, t, type TextKey } from '../texts/index.js';
import { readFailure, type CodeTexts } from './failure.js';

/**
 * The sentence of an error that concerns no form.
 * @param codes texts by the code of the service's error @param translate of the area whose keys `codes` has
 */
export function describeError<Key extends string = TextKey>(
  error: unknown,
  codes: CodeTexts<Key> = {},
  translate: (key: Key | TextKey, values?: Values) => string = t as (key: string, values?: Values) => string,
): string {
  const { form } = readFailure<never, Key>(error, { fields: {}, codes }, formats().duration);
  return form ? translate(form.key, form.values) : t('unexpected');
}
