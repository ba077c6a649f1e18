import { isIPv6 } from 'node:net';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { covers, narrow } from '../../src/kernel/channel-scope.js';
import type { ChannelScope } from '../../src/kernel/channel-scope.js';
import { networkOf } from '../../src/kernel/client-origin.js';
import { DomainError } from '../../src/kernel/domain-error.js';
import { CursorInvalid } from '../../src/kernel/errors.js';
import type { CursorPart } from '../../src/kernel/page.js';
import { decodeCursor, encodeCursor } from '../../src/kernel/page.js';
import type { LogCursor } from '../../src/platform/events/log-cursor.js';
import { decodeLogCursor, encodeLogCursor } from '../../src/platform/events/log-cursor.js';
import { FrameTooManyValues, parseFrame } from '../../src/platform/sockets/frame.js';
import { measureJson } from '../../src/platform/sockets/json-measure.js';

/** PROPERTY_RUNS=… sets the number of runs. A failure prints its seed; PROPERTY_SEED=… repeats it. */
const { PROPERTY_RUNS = '500', PROPERTY_SEED } = process.env;
const settings = {
  numRuns: Number(PROPERTY_RUNS),
  ...(PROPERTY_SEED === undefined ? {} : { seed: Number(PROPERTY_SEED) }),
};
const assertProperty = <T>(arbitrary: fc.Arbitrary<T>, property: (value: T) => void) =>
  fc.assert(fc.property(arbitrary, property), settings);

/** Generates cursors that a client could forge: well-formed but wrong ones, and arbitrary text. */
const forged = (...parts: fc.Arbitrary<string>[]) =>
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.base64String(),
    fc.tuple(...parts).map(joined => Buffer.from(joined.join('.')).toString('base64url')),
  );

describe('Channel scope', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd');
  const scope: fc.Arbitrary<ChannelScope> = fc.oneof(fc.constant(null), fc.uniqueArray(id));

  it('A narrowed scope covers exactly the channels that both scopes cover', () => {
    assertProperty(fc.tuple(scope, scope, fc.oneof(id, fc.string())), ([one, other, channel]) => {
      expect(covers(narrow(one, other), channel)).toBe(covers(one, channel) && covers(other, channel));
    });
  });

  it('A scope narrowed to a list never becomes "all channels" again, in any number and order of narrowings', () => {
    assertProperty(fc.array(scope, { minLength: 1 }), scopes => {
      const forwards = scopes.reduce((current, next) => narrow(current, next), null);
      const backwards = [...scopes].reverse().reduce((current, next) => narrow(current, next), null);
      expect(forwards === null).toBe(scopes.every(one => one === null));
      expect(forwards && [...forwards].sort()).toEqual(backwards && [...backwards].sort());
    });
  });
});

describe('Log cursor', () => {
  const xid = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
  const position = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String);
  const identity = fc.stringMatching(/^[0-9a-f]{16}$/);
  const range = fc.option(fc.record({ horizon: xid, position, last: position }), { nil: null });
  const mark = fc.oneof(fc.stringMatching(/^[0-9a-f]{12}$/), fc.constant('0'));
  const newest = fc.option(fc.record({ position, mark }), { nil: null });
  const cursor: fc.Arbitrary<LogCursor> = fc.record({ identity, since: xid, newest, range });

  it('A log cursor decodes to the value that was encoded', () => {
    assertProperty(cursor, written => expect(decodeLogCursor(encodeLogCursor(written))).toEqual(written));
  });

  it('A log cursor is refused, or its numbers fit the database types they are compared with', () => {
    const number = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 21n }).map(String), fc.string({ maxLength: 3 }));
    const text = fc.oneof(
      forged(fc.constant('1'), identity, number),
      forged(fc.constant('1'), identity, number, number, number, number),
      forged(fc.constant('2'), identity, number, number, mark),
      forged(fc.constant('2'), identity, number, number, mark, number, number, number),
    );
    assertProperty(text, guessed => {
      const found = decodeLogCursor(guessed);
      if (!found) return;
      expect(found.identity).toMatch(/^[0-9a-f]{16}$/);
      for (const one of [found.since, found.range?.horizon ?? '0']) expect(BigInt(one) < 2n ** 64n).toBe(true);
      for (const one of [found.range?.position, found.range?.last, found.newest?.position])
        expect(BigInt(one ?? '0') < 2n ** 63n).toBe(true);
    });
  });
});

describe('List cursor', () => {
  const part: fc.Arbitrary<CursorPart> = fc.oneof(
    fc.constant(null),
    fc.maxSafeInteger(),
    fc.string({ unit: 'grapheme' }).filter(text => !text.includes('\0')),
  );

  it('A list cursor decodes to the parts that were encoded, and only for its own list', () => {
    assertProperty(fc.tuple(fc.string(), fc.string(), fc.array(part)), ([list, other, parts]) => {
      const text = encodeCursor(list, parts);
      expect(decodeCursor(list, text, parts.length)).toEqual(parts.map(one => (Object.is(one, -0) ? 0 : one)));
      if (other !== list) expect(() => decodeCursor(other, text, parts.length)).toThrow(CursorInvalid);
      expect(() => decodeCursor(list, text, parts.length + 1)).toThrow(CursorInvalid);
    });
  });

  it('A list cursor decodes to strings, numbers and nulls, or is refused with CursorInvalid', () => {
    const written = fc.tuple(fc.constant('list'), fc.json()).map(([list, json]) => `["${list}",${json}]`);
    const guessed = fc.oneof(written, fc.json(), fc.string()).map(text => Buffer.from(text).toString('base64url'));
    assertProperty(fc.oneof(guessed, fc.string({ unit: 'binary' })), text => {
      try {
        for (const found of decodeCursor('list', text, 1)) {
          expect(found === null || ['string', 'number'].includes(typeof found)).toBe(true);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(CursorInvalid);
      }
    });
  });
});

describe('Client frame', () => {
  it('Parsing any text yields a client frame or a documented frame error, and nothing else', () => {
    const shaped = fc.record(
      { type: fc.jsonValue(), data: fc.jsonValue(), payload: fc.jsonValue(), token: fc.jsonValue() },
      { requiredKeys: [] },
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      shaped.map(frame => JSON.stringify(frame)),
    );
    assertProperty(text, raw => {
      try {
        const frame = parseFrame(raw);
        const given = JSON.parse(raw) as Record<string, unknown>;
        expect(frame.type).toBe(given.type);
        const fields = frame.pick('token', 'toString', '__proto__');
        expect(Object.keys(fields).filter(name => name !== 'token' && !raw.includes(name))).toEqual([]);
      } catch (error) {
        expect(error).toBeInstanceOf(DomainError);
        expect(['frame_malformed', 'frame_too_many_values']).toContain((error as DomainError).code);
      }
    });
  });

  it('A client frame has the same fields whether they are at the top level, under data or under payload', () => {
    const name = fc.string().filter(key => !['type', 'data', 'payload', '__proto__'].includes(key));
    assertProperty(
      fc.tuple(fc.string(), fc.dictionary(name, fc.oneof(fc.string(), fc.boolean(), fc.integer()))),
      ([type, given]) => {
        const fields = { ...given };
        for (const frame of [
          { ...fields, type },
          { type, data: fields },
          { type, payload: fields },
        ]) {
          const read = parseFrame(JSON.stringify(frame));
          expect([read.type, read.pick(...Object.keys(fields), 'missing')]).toEqual([type, fields]);
        }
      },
    );
  });

  /** Counts the members and elements of a value at all levels, and the nesting depth of its objects and arrays. */
  function measureValue(value: unknown): { values: number; depth: number } {
    if (typeof value !== 'object' || value === null) return { values: 0, depth: 0 };
    const inner = Object.values(value).map(measureValue);
    return {
      values: inner.reduce((sum, { values }) => sum + 1 + values, 0),
      depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    };
  }

  it('`measureJson` counts the same values and depth in the text as in the parsed value, with any whitespace', () => {
    const limits = { values: Infinity, depth: Infinity };
    const spaces = fc.constantFrom(undefined, 1, '\t', '\n');
    assertProperty(fc.tuple(fc.jsonValue({ maxDepth: 6 }), spaces), ([value, space]) => {
      expect(measureJson(JSON.stringify(value, null, space), limits)).toEqual(measureValue(value));
    });
  });

  it('A client frame with more than 50 values is never parsed, wherever the values are', () => {
    const list = (length: number) => Array.from({ length }, (_nothing, index) => index);
    const frames = [
      { type: 'ping', ...Object.fromEntries(list(50).map(index => [`k${index}`, index])) },
      { type: 'ping', data: list(49) },
      { type: 'ping', data: { 'a "quoted" \\ key,': list(24), other: list(24) } },
    ];
    const texts = frames.map(frame => JSON.stringify(frame));
    const parse = jest.spyOn(JSON, 'parse');
    for (const text of texts) expect(() => parseFrame(text)).toThrow(FrameTooManyValues);
    expect(parse.mock.calls.filter(([text]) => texts.includes(text))).toEqual([]);
    parse.mockRestore();
    expect(parseFrame(JSON.stringify({ type: 'ping', data: list(48) })).type).toBe('ping');
  });
});

describe('Network of an address', () => {
  const group = fc.integer({ min: 0, max: 0xffff });
  const groups = fc.oneof(
    fc.array(group, { minLength: 8, maxLength: 8 }),
    fc.array(fc.constantFrom(0, 1, 0xffff, 0x64, 0xff9b), { minLength: 8, maxLength: 8 }),
    fc.tuple(group, group).map(tail => [0, 0, 0, 0, 0, 0xffff, ...tail]),
    fc.tuple(group, group).map(tail => [0x64, 0xff9b, 0, 0, 0, 0, ...tail]),
  );

  it('An address has the same network in every spelling', () => {
    assertProperty(groups, parts => {
      const found = new Set(spellings(parts).map(networkOf));
      expect([parts, [...found]]).toEqual([parts, [expect.any(String)]]);
    });
  });

  it('Two addresses share a network exactly if they share a /64 or stand for one IPv4 address', () => {
    assertProperty(fc.tuple(groups, groups, fc.nat({ max: 8 })), ([one, two, shared]) => {
      const other = [...one.slice(0, shared), ...two.slice(shared)];
      const [a, b] = [one, other].map(parts => networkOf(spellings(parts)[0] ?? ''));
      const plain = [one, other].every(parts => networkOf(spellings(parts)[0] ?? '').endsWith('/64'));
      const alike = plain ? one.slice(0, 4).join() === other.slice(0, 4).join() : one.join() === other.join();
      const bothStandForIPv4 = [a, b].every(network => !network?.endsWith('/64'));
      if (plain || !bothStandForIPv4) expect(a === b).toBe(alike);
      else expect(a === b).toBe(one.slice(6).join() === other.slice(6).join());
    });
  });

  it('Text that is not an IP address is its own network, and `networkOf` never throws', () => {
    assertProperty(fc.string({ unit: 'binary' }), text => {
      if (!isIPv6(text) && !/^[\d.]+:\d+$/.test(text)) expect(networkOf(text)).toBe(text);
    });
  });
});

/** Returns the valid spellings of an address: in full, upper case, padded, with `::`, an IPv4 tail or a zone. */
function spellings(parts: number[]): string[] {
  const written = parts.map(part => part.toString(16));
  const [high = 0, low = 0] = parts.slice(6);
  const dotted = [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  const forms = [written.join(':'), written.map(part => part.toUpperCase().padStart(4, '0')).join(':')];
  forms.push([...written.slice(0, 6), dotted].join(':'), `${written.join(':')}%eth0`);
  for (let from = 0; from < 8; from += 1) {
    for (let to = from + 1; to <= 8; to += 1) {
      if (!parts.slice(from, to).every(part => part === 0)) continue;
      forms.push(`${written.slice(0, from).join(':')}::${written.slice(to).join(':')}`);
      if (to <= 6) forms.push(`${written.slice(0, from).join(':')}::${[...written.slice(to, 6), dotted].join(':')}`);
    }
  }
  return forms.filter(form => isIPv6(form));
}
