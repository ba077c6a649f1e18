/** When a field is scrubbed: when its message is unsent or its person erased, or when its person is erased alone. */
export type ScrubbedWhen = 'unsent' | 'erased';

/** A value that replaces the value of the field. */
export class Replacement<T> {
  constructor(
    readonly value: T,
    readonly when: ScrubbedWhen,
  ) {}
}

/**
 * Keeps these keys of a free-form object where the value is one of the service's own words, and removes all else. The
 * key alone proves nothing: senders choose keys too.
 */
export class KeptWords {
  constructor(
    readonly words: Readonly<Record<string, readonly string[]>>,
    readonly when: ScrubbedWhen,
  ) {}
}

/** Removes these keys of a free-form object. */
export class RemovedKeys {
  constructor(
    readonly keys: readonly string[],
    readonly when: ScrubbedWhen,
  ) {}
}

/** The scrubbing of one field. `kept`: it identifies no person, and nobody wrote it. */
type Scrub<T> = 'kept' | Replacement<T> | (T extends object ? KeptWords | RemovedKeys | ScrubFields<T> : never);

/** The same of a record whose type is not known. */
export type ScrubPlan =
  'kept' | Replacement<unknown> | KeptWords | RemovedKeys | { readonly [field: string]: ScrubPlan };

/** A decision for each field of a record: a field without one does not compile. */
export type ScrubFields<T> = { readonly [K in keyof T]-?: Scrub<T[K]> };

/** Text that somebody wrote: removed when the message is unsent or the person is erased. */
export function words<T>(value: T): Replacement<T> {
  return new Replacement(value, 'unsent');
}

/** Free-form data of a message: removed with its text, except for the service's own words under these keys. */
export function wordsExcept(words: Readonly<Record<string, readonly string[]>>): KeptWords {
  return new KeptWords(words, 'unsent');
}

/** Personal data: removed when the person is erased. */
export function personal<T>(value: T): Replacement<T> {
  return new Replacement(value, 'erased');
}

/** Changes of a record by field: those of its scrubbed fields are removed when the person is erased. */
export function changesOf<T>(fields: ScrubFields<T>): RemovedKeys {
  const keys = Object.entries(fields).filter(([, scrub]) => scrub !== 'kept');
  return new RemovedKeys(
    keys.map(([key]) => key),
    'erased',
  );
}

/** Returns the record as the erasure of its person leaves it. Fields without a plan stay. */
export function scrubErased<T extends object>(record: T, plan: Partial<ScrubFields<T>>): T {
  return scrubValue(record, plan as ScrubPlan) as T;
}

function scrubValue(value: unknown, plan: ScrubPlan): unknown {
  if (plan === 'kept') return value;
  if (plan instanceof Replacement) return plan.value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  if (plan instanceof KeptWords) return Object.fromEntries(entries.filter(([key, word]) => isKept(plan, key, word)));
  if (plan instanceof RemovedKeys) return Object.fromEntries(entries.filter(([key]) => !plan.keys.includes(key)));
  return Object.fromEntries(entries.map(([key, inner]) => [key, scrubValue(inner, plan[key] ?? 'kept')]));
}

function isKept({ words }: KeptWords, key: string, word: unknown): boolean {
  return Object.hasOwn(words, key) && words[key]?.includes(word as string) === true;
}
