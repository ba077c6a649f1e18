const FREE_FORM = { bytes: 16 * 1024, keys: 50, depth: 10 } as const;

/** Whether PostgreSQL can keep this text as it is. */
export function isStorable(value: unknown): boolean {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed();
}

export function codePoints(text: string): number {
  let count = 0;
  for (const _sign of text) count += 1;
  return count;
}

const WIRE_TIME = /^(\d{4}-\d{2}-(\d{2}))T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
/** The years of four digits that the wire can show and the database can keep. */
const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Date.parse takes the 30th of February for the 2nd of March; this does not. */
export function isWireTime(value: unknown): boolean {
  const [, date, day] = typeof value === 'string' ? (WIRE_TIME.exec(value) ?? []) : [];
  const instant = date === undefined ? NaN : Date.parse(String(value));
  return instant >= FIRST && instant <= LAST && new Date(`${date}T00:00Z`).getUTCDate() === Number(day);
}

/** Whether a JSON value goes deeper than that. Looks no deeper itself: a hostile value is deeper than the stack. */
export function exceedsDepth(value: unknown, limit: number): boolean {
  if (limit < 0) return true;
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) {
    if (exceedsDepth((value as Record<string, unknown>)[key], limit - 1)) return true;
  }
  return false;
}

/** Whether a JSON value holds more than `limit` others, at any level. Stops there. It is of a known depth: see above. */
export function exceedsCount(value: object, limit: number): boolean {
  return subtractCount(value, limit) < 0;
}

/** What is left of the limit without the values that this one holds; negative as soon as nothing is. */
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

/** What every object of JavaScript answers to, whatever keys it has. */
const NATIVE_KEYS = new Set(['prototype', ...Object.getOwnPropertyNames(Object.prototype)]);

/** Whether an object in the value, at any level, has a key of its own that passes the test. It is of a known depth. */
function someKey(value: unknown, test: (key: string) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) {
    if (test(key) || someKey((value as Record<string, unknown>)[key], test)) return true;
  }
  return false;
}

/** Whether an object in the value has a key that JavaScript has a meaning of its own for. */
export function hasNativeKeys(value: unknown): boolean {
  return someKey(value, key => NATIVE_KEYS.has(key));
}

const FREE_FORM_KEY = Symbol('free form');

/** Marks a property as the client's own, kept untouched. */
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

/** What is wrong with a free-form object, or null. */
export function freeFormFault(
  value: unknown,
): 'type' | 'too_many_keys' | 'too_deep' | 'too_large' | 'key' | 'text' | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'type';
  if (Object.keys(value).length > FREE_FORM.keys) return 'too_many_keys';
  if (exceedsDepth(value, FREE_FORM.depth)) return 'too_deep';
  if (Buffer.byteLength(JSON.stringify(value)) > FREE_FORM.bytes) return 'too_large';
  // whatever merges objects by assignment would take it for their prototype
  if (someKey(value, key => key === '__proto__')) return 'key';
  const broken = texts(value).some(text => typeof text === 'string' && !isStorable(text));
  return broken ? 'text' : null;
}
