import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/platform/schemas/json.js';
import { collectionsOf, committedReference } from './collections.js';
import { notSecret } from './known-secrets.js';

/** Marks JSON text that no JavaScript value serialises to, such as `1e400`. */
const RAW = '\u0001raw:';

function raw(text: string): string {
  return `${RAW}${Buffer.from(text).toString('base64')}`;
}

/** Serialises a value and inserts the raw JSON texts. */
export function toJsonText(value: unknown): string {
  return JSON.stringify(value).replace(/"\\u0001raw:([A-Za-z0-9+/=]*)"/g, (_whole, text: string) =>
    Buffer.from(text, 'base64').toString(),
  );
}

/** Parses JSON with keys that an object literal would interpret, such as `__proto__`. */
function parseJson(text: string): unknown {
  return JSON.parse(text) as unknown;
}

const STRINGS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00',
  '\ufeff',
  '\u202e',
  'e\u0301'.repeat(100),
  'x'.repeat(201),
  'x'.repeat(20_000),
  'x'.repeat(20_001),
  '💩'.repeat(10_000),
  "'; DROP TABLE message; --",
  '%00%ff%',
  '\\',
  '../../../../etc/passwd',
  '{{contact.name}}{{{{}}',
  '<script>alert(1)</script>',
  'true',
  'null',
  '-1',
  '1e9',
  '99999999999999999999',
  'NaN',
  'me',
  'none',
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  '0000-01-01T00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '2026-02-31T25:61:61Z',
  '2026-01-01T00:00:00+99:99',
  '+275760-09-13T00:00:00Z',
  'a@b',
  'ü@example.com',
  `${'a'.repeat(64)}@${'b'.repeat(63)}.example`,
  'a@xn--',
  '"a b"@example.com',
  'https://[::1',
  'http://user:pass@host:99999/',
  'javascript:alert(1)',
  'Europe/Berlin',
  'Etc/../../passwd',
  'de-DE-1996-x-y-z',
  '#00000g',
  '(a+)+$',
];

const NUMBERS = [0, -0, -1, 1.5, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1, 2 ** 53, -(2 ** 63), 1e308, 5e-324];

const STRANGE = [
  parseJson('{"__proto__": {"polluted": true}}'),
  parseJson('{"constructor": {"prototype": {"polluted": true}}}'),
  parseJson('{"toString": 1, "valueOf": null, "hasOwnProperty": [], "then": {}, "length": 1e9, "type": {}}'),
  parseJson('{"prototype": 1, "constructor": "text", "__proto__": "text"}'),
  { $gt: '' },
  { '': '' },
  { '\0': '\0' },
  { '\ud800': '\udfff' },
  raw('1e400'),
  raw('-1e400'),
  raw('123456789012345678901234567890'),
  raw('0.1'.padEnd(2_000, '1')),
  raw('{"a": 1, "a": [], "a": {}}'),
  raw(`${'['.repeat(20)}${']'.repeat(20)}`),
  raw(`${'['.repeat(5_000)}${']'.repeat(5_000)}`),
  raw(`${'{"a":'.repeat(31)}1${'}'.repeat(31)}`),
  raw(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
  Object.fromEntries(Array.from({ length: 51 }, (_nothing, index) => [`k${index}`, index])),
  Object.fromEntries(Array.from({ length: 10_000 }, (_nothing, index) => [`k${index}`, index])),
  Array.from({ length: 10_000 }, (_nothing, index) => index),
  Array.from({ length: 1_000 }, () => ({})),
  Array.from({ length: 201 }, () => 'same'),
];

/** Any JSON value, usually a hostile one. Its text may be a password and a name at once. */
export const hostileValue: fc.Arbitrary<unknown> = fc
  .oneof(
    { weight: 4, arbitrary: fc.constantFrom<unknown>(...STRINGS) },
    { weight: 3, arbitrary: fc.constantFrom<unknown>(...STRANGE) },
    { weight: 2, arbitrary: fc.constantFrom<unknown>(...NUMBERS) },
    { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], [{}], [[[]]]) },
    { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
  )
  .map(value => {
    if (typeof value === 'string') notSecret(value);
    return value;
  });

/** Text for a path segment or query value, sometimes percent-encoded wrongly. */
export const hostilePiece: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '%00',
    '%ff',
    '%',
    '%zz',
    '%c0%af',
    '%ed%a0%80',
    '..',
    '../',
    '..%2f..%2f',
    '.%00.',
    ';a=b',
    '\u00ff\u00fe',
    '*',
    '[]',
    '%5b%5d',
    '0',
    '-1',
    'null',
    'undefined',
    '__proto__',
    'constructor',
    'a'.repeat(3_000),
    '%F0%9F%92%A9'.repeat(100),
  ),
  fc.constantFrom(...STRINGS).map(text => encodeURIComponent(text.toWellFormed()).slice(0, 3_000)),
  fc.webFragments({ size: 'small' }).map(text => text.replace(/[#?\s]/g, '')),
);

/** A cursor in our format with values that we never issue. */
const hostileCursor: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(
      ...collectionsOf(committedReference()).map(({ name }) => name),
      'messages',
      'members',
      'api-keys',
      'conversations.created',
      'conversations.last_activity',
      'conversations.waiting',
    ),
    fc.array(
      fc.oneof(
        fc.constantFrom<unknown>(
          'after',
          'before',
          null,
          'x',
          '\ud800',
          '0000-01-01T00:00:00Z',
          '+275760-09-13',
          'now',
        ),
        fc.constantFrom<unknown>(...NUMBERS, '01a1fb9b-9d5d-756e-aaa0-2ad0f2f26fff', 0, 1, [], {}),
        fc.constantFrom<unknown>('2026-01-01T00:00:00.000Z', '01a1fb9b-9d5d-756e-aaa0-2ad0f2f26fff'),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([list, parts]) => Buffer.from(JSON.stringify([list, ...parts])).toString('base64url'));

/** A query string over these names: repeated, bracketed, malformed or huge. */
export function hostileQuery(names: string[]): fc.Arbitrary<string> {
  const name = fc.constantFrom(...names, 'limit', 'cursor', '__proto__', 'constructor[prototype]');
  const value = fc.oneof(
    hostilePiece,
    hostileCursor,
    fc.constantFrom(
      '1',
      '200',
      '201',
      '0',
      '1.5',
      '1e2',
      '2147483647',
      '2147483648',
      '9007199254740991',
      '9007199254740992',
    ),
    fc.constantFrom(
      'last_activity',
      'waiting',
      'created',
      'open',
      'me',
      'none',
      '2026-01-01T00:00:00Z',
      '%23999999999',
    ),
  );
  const pair = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(name, value).map(([key, text]) => `${key}=${text}`) },
    { weight: 1, arbitrary: fc.tuple(name, value).map(([key, text]) => `${key}[]=${text}&${key}=${text}`) },
    { weight: 1, arbitrary: fc.tuple(name, value).map(([key, text]) => `${key}[a][b]=${text}`) },
    { weight: 1, arbitrary: name },
    { weight: 1, arbitrary: fc.constant('a=1&'.repeat(2_000)) },
    { weight: 1, arbitrary: fc.constantFrom('=', '&', '&&=&', '?', '%', '+', '\u00e9=\u00e9') },
  );
  return fc.array(pair, { maxLength: 4 }).map(pairs => pairs.join('&'));
}

/** Valid values by field name, and existing ids for all other places. */
export interface Known {
  fields: Record<string, fc.Arbitrary<unknown>>;
  ids: string[];
}

/** A body of this schema with one or two hostile fields; all others are valid. */
export function hostileBody(
  schema: JsonObject,
  schemas: Record<string, JsonObject>,
  known: Known,
): fc.Arbitrary<unknown> {
  const { properties, required } = membersOf(schema, schemas);
  const names = Object.keys(properties);
  if (names.length === 0)
    return fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: hostileValue });
  const fields = Object.fromEntries(
    names.map(name => [name, known.fields[name] ?? plausibleValue(properties[name] as JsonObject, schemas, known)]),
  );
  const sound = fc.record(fields, { requiredKeys: required });
  const spoilt = fc.dictionary(fc.constantFrom(...names), hostileValue, {
    minKeys: 1,
    maxKeys: 2,
    noNullPrototype: true,
  });
  const strange = fc.dictionary(fc.string(), hostileValue, { maxKeys: 3 });
  return fc.oneof(
    { weight: 10, arbitrary: sound },
    { weight: 8, arbitrary: fc.tuple(sound, spoilt).map(([a, b]) => ({ ...a, ...b })) },
    { weight: 1, arbitrary: fc.tuple(sound, strange).map(([a, b]) => ({ ...b, ...a })) },
    { weight: 1, arbitrary: hostileValue },
  );
}

function membersOf(
  schema: JsonObject,
  schemas: Record<string, JsonObject>,
): { properties: JsonObject; required: string[] } {
  const reference = schema.$ref;
  if (typeof reference === 'string') return membersOf(schemas[reference.split('/').at(-1) ?? ''] ?? {}, schemas);
  return { properties: (schema.properties ?? {}) as JsonObject, required: (schema.required ?? []) as string[] };
}

/** A value that roughly matches the schema. */
function plausibleValue(schema: JsonObject, schemas: Record<string, JsonObject>, known: Known): fc.Arbitrary<unknown> {
  if (typeof schema.$ref === 'string') return hostileBody(schema, schemas, known);
  if (Array.isArray(schema.oneOf)) return plausibleValue(schema.oneOf[0] as JsonObject, schemas, known);
  if (Array.isArray(schema.enum)) return fc.constantFrom<unknown>(...schema.enum);
  const type: Json | undefined = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({
        min: Number(schema.minimum ?? 0),
        max: Math.min(Number(schema.maximum ?? 100), 2 ** 53 - 1),
      });
    case 'array':
      return fc.array(plausibleValue((schema.items ?? {}) as JsonObject, schemas, known), { maxLength: 3 });
    case 'string':
      if (schema.format === 'uuid') return fc.constantFrom(...known.ids);
      if (schema.format === 'date-time') return fc.constantFrom('2030-01-01T00:00:00Z', '2020-01-01T00:00:00Z');
      if (schema.format === 'idn-email') return fc.constantFrom('a@example.com', ' B@Example.COM ');
      return plausibleText(schema);
    default:
      return fc.dictionary(fc.string({ maxLength: 10 }), hostileValue, { maxKeys: 3 });
  }
}

/** Text of minimum or maximum length, in any script, that matches the required pattern. */
function plausibleText({ pattern, minLength, maxLength }: JsonObject): fc.Arbitrary<string> {
  const [min, max] = [Number(minLength ?? 0), Number(maxLength ?? 200)];
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern), { size: 'small' });
  return fc.oneof(
    fc.string({ minLength: min, maxLength: Math.min(max, 50), unit: 'grapheme' }).filter(text => text.length <= max),
    fc.constantFrom('en', 'UTC', 'me', 'https://a.example', 'x'.repeat(max)),
  );
}
