import { ApiError } from '@support-chat/sdk';
import type { Values } from '@support-chat/ui/translator.js';
import type { TextKey } from '../texts/en.js';

/** A text with its values. `Key` is a key of the area's texts. */
export interface Message<Key extends string = TextKey> {
  key: Key | TextKey;
  values?: Values;
}

/** The messages of a refused form: at its fields, and above it. */
export interface Failure<Field extends string, Key extends string = TextKey> {
  fields: Partial<Record<Field, Key | TextKey>>;
  form?: Message<Key>;
}

/** Texts by the code of the service's error. */
export type CodeTexts<Key extends string = TextKey> = Readonly<Record<string, Message<Key>>>;

/** The texts of one form's errors. */
export interface FailureTexts<Field extends string, Key extends string = TextKey> {
  /** By field, for one that the service calls invalid. Lists all fields of the form. */
  fields: Record<Field, Key | TextKey>;
  /** By the code of a field's fault, if it is more exact than the text of the field. */
  faults?: Readonly<Record<string, Key | TextKey>>;
  /** By the code of the service's error; with `field` it stands there, otherwise above the form. */
  codes?: Readonly<Record<string, Message<Key> & { field?: Field }>>;
}

/**
 * Assigns an error to the fields of a form, or to the form as a whole.
 * @param duration formats seconds, such as "2 minutes"
 */
export function readFailure<Field extends string, Key extends string = TextKey>(
  error: unknown,
  texts: FailureTexts<Field, Key>,
  duration: (seconds: number) => string,
): Failure<Field, Key> {
  if (!(error instanceof ApiError)) return { fields: {}, form: { key: 'unexpected' } };
  const known = texts.codes?.[error.code];
  if (known?.field) return { fields: { [known.field]: known.key } as Failure<Field, Key>['fields'] };
  if (known) return { fields: {}, form: known };
  const fields: Failure<Field, Key>['fields'] = {};
  for (const { field, code } of error.details) {
    if (isFieldOf(texts, field)) fields[field] = texts.faults?.[code] ?? texts.fields[field];
  }
  // a fault of another field must not be lost
  const rest = error.details.find(({ field }) => !isFieldOf(texts, field));
  if (Object.keys(fields).length > 0 && !rest) return { fields };
  const form: Message = generalMessage(error, rest?.message ?? error.message, duration);
  return { fields, form: form as Message<Key> };
}

/** Message of an error that concerns no field. */
export function generalMessage(error: ApiError, message: string, duration: (seconds: number) => string): Message {
  if (error.code === 'rate_limited') {
    return error.retryAfter === undefined
      ? { key: 'tooManySoon' }
      : { key: 'tooMany', values: { time: duration(error.retryAfter) } };
  }
  if (error.transient || error.status === 0) return { key: 'notSent' };
  return { key: 'refused', values: { message } };
}

function isFieldOf<Field extends string, Key extends string>(
  { fields }: FailureTexts<Field, Key>,
  name: string,
): name is Field {
  return Object.hasOwn(fields, name);
}
