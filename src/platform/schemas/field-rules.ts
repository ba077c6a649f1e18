const FREE_FORM = { bytes: 16 * 1024, keys: 50, depth: 10 } as const;

/** Tells whether PostgreSQL can store the text: no U+0000 and no unpaired surrogates. */
export function isStorable(value: unknown): boolean {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed();
}

export function codePoints(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

const WIRE_TIME = /^(\d{4}-\d{2}-(\d{2}))T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
/** The range of four-digit years, which both the API and the database support. */
const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Checks an ISO 8601 time with a zone. Unlike `Date.parse`, it rejects the 30th of February. */
export function isWireTime(value: unknown): boolean {
  const [, date, day] = typeof value === 'string' ? (WIRE_TIME.exec(value) ?? []) : [];
  const instant = date === undefined ? NaN : Date.parse(String(value));
  return instant >= FIRST && instant <= LAST && new Date(`${date}T00:00Z`).getUTCDate() === Number(day);
}

/**
 * Tells whether a JSON value is nested deeper than `limit`. It stops there, because a hostile value can overflow the
 * stack.
 */
export function exceedsDepth(value: unknown, limit: number): boolean {
  if (limit < 0) return true;
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) {
    if (exceedsDepth((value as Record<string, unknown>)[key], limit - 1)) return true;
  }
  return false;
}

/** Tells whether a JSON value contains more than `limit` values over all levels. Check the depth first: it recurses. */
export function exceedsCount(value: object, limit: number): boolean {
  return subtractCount(value, limit) < 0;
}

/** @returns the limit minus the number of contained values; negative as soon as the limit is exceeded */
function subtractCount(value: object, limit: number): number {
  let left = limit;
  for (const key in value) {
    left -= 1;
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === 'object' && inner !== null) left = subtractCount(inner, left);
    if (left < 0) break;
  }
  return left;
}

/** Properties that every JavaScript object inherits, and `prototype`. */
const NATIVE_KEYS = new Set(['prototype', ...Object.getOwnPropertyNames(Object.prototype)]);

/** Tells whether an object at any level has a matching key. Check the depth first: it recurses. */
function someKey(value: unknown, test: (key: string) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) {
    if (test(key) || someKey((value as Record<string, unknown>)[key], test)) return true;
  }
  return false;
}

/** Tells whether an object at any level has a key that JavaScript objects inherit, such as `constructor`. */
export function hasNativeKeys(value: unknown): boolean {
  return someKey(value, key => NATIVE_KEYS.has(key));
}

const FREE_FORM_KEY = Symbol('free form');

/** Marks a property as a free-form object, which is stored unchanged. */
export function markFreeForm(prototype: object, property: string | symbol): void {
  Reflect.defineMetadata(FREE_FORM_KEY, true, prototype, property);
}

export function isFreeForm(instance: object, property: string): boolean {
  return Reflect.hasMetadata(FREE_FORM_KEY, instance, property);
}

function texts(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [value];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...texts(inner)]);
}

/** @returns the first fault of a free-form object; null when it is valid */
export function freeFormFault(
  value: unknown,
): 'type' | 'too_many_keys' | 'too_deep' | 'too_large' | 'key' | 'text' | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'type';
  if (Object.keys(value).length > FREE_FORM.keys) return 'too_many_keys';
  if (exceedsDepth(value, FREE_FORM.depth)) return 'too_deep';
  if (Buffer.byteLength(JSON.stringify(value)) > FREE_FORM.bytes) return 'too_large';
  // code that merges objects by assignment would set their prototype
  if (someKey(value, key => key === '__proto__')) return 'key';
  const broken = texts(value).some(text => typeof text === 'string' && !isStorable(text));
  return broken ? 'text' : null;
}
