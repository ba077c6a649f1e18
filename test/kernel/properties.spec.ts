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

/** PROPERTY_RUNS=… looks for longer. What fails prints its seed, which PROPERTY_SEED=… repeats. */
const { PROPERTY_RUNS = '500', PROPERTY_SEED } = process.env;
const settings = {
  numRuns: Number(PROPERTY_RUNS),
  ...(PROPERTY_SEED === undefined ? {} : { seed: Number(PROPERTY_SEED) }),
};
const holds = <T>(arbitrary: fc.Arbitrary<T>, property: (value: T) => void) =>
  fc.assert(fc.property(arbitrary, property), settings);

/** What a client could have put together by hand: near the truth, or anything. */
const forged = (...parts: fc.Arbitrary<string>[]) =>
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.base64String(),
    fc.tuple(...parts).map(joined => Buffer.from(joined.join('.')).toString('base64url')),
  );

describe('a scope', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd');
  const scope: fc.Arbitrary<ChannelScope> = fc.oneof(fc.constant(null), fc.uniqueArray(id));

  it('that is narrowed covers what both cover, and nothing else', () => {
    holds(fc.tuple(scope, scope, fc.oneof(id, fc.string())), ([one, other, channel]) => {
      expect(covers(narrow(one, other), channel)).toBe(covers(one, channel) && covers(other, channel));
    });
  });

  it('is never all of them again once it is a list, however often and in whichever order it is narrowed', () => {
    holds(fc.array(scope, { minLength: 1 }), scopes => {
      const there = scopes.reduce((held, by) => narrow(held, by), null);
      const back = [...scopes].reverse().reduce((held, by) => narrow(held, by), null);
      expect(there === null).toBe(scopes.every(one => one === null));
      expect(there && [...there].sort()).toEqual(back && [...back].sort());
    });
  });
});

describe('the cursor of a log', () => {
  const xid = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
  const position = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String);
  const identity = fc.stringMatching(/^[0-9a-f]{16}$/);
  const range = fc.option(fc.record({ horizon: xid, position, last: position }), { nil: null });
  const mark = fc.oneof(fc.stringMatching(/^[0-9a-f]{12}$/), fc.constant('0'));
  const newest = fc.option(fc.record({ position, mark }), { nil: null });
  const cursor: fc.Arbitrary<LogCursor> = fc.record({ identity, since: xid, newest, range });

  it('is read as it was written', () => {
    holds(cursor, written => expect(decodeLogCursor(encodeLogCursor(written))).toEqual(written));
  });

  it('is refused, or holds numbers that the database can compare with', () => {
    const number = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 21n }).map(String), fc.string({ maxLength: 3 }));
    const text = fc.oneof(
      forged(fc.constant('1'), identity, number),
      forged(fc.constant('1'), identity, number, number, number, number),
      forged(fc.constant('2'), identity, number, number, mark),
      forged(fc.constant('2'), identity, number, number, mark, number, number, number),
    );
    holds(text, guessed => {
      const found = decodeLogCursor(guessed);
      if (!found) return;
      expect(found.identity).toMatch(/^[0-9a-f]{16}$/);
      for (const one of [found.since, found.range?.horizon ?? '0']) expect(BigInt(one) < 2n ** 64n).toBe(true);
      for (const one of [found.range?.position, found.range?.last, found.newest?.position])
        expect(BigInt(one ?? '0') < 2n ** 63n).toBe(true);
    });
  });
});

describe('the cursor of a list', () => {
  const part: fc.Arbitrary<CursorPart> = fc.oneof(
    fc.constant(null),
    fc.maxSafeInteger(),
    fc.string({ unit: 'grapheme' }).filter(text => !text.includes('\0')),
  );

  it('is read as it was written, by its own list alone', () => {
    holds(fc.tuple(fc.string(), fc.string(), fc.array(part)), ([list, other, parts]) => {
      const text = encodeCursor(list, parts);
      expect(decodeCursor(list, text, parts.length)).toEqual(parts.map(one => (Object.is(one, -0) ? 0 : one)));
      if (other !== list) expect(() => decodeCursor(other, text, parts.length)).toThrow(CursorInvalid);
      expect(() => decodeCursor(list, text, parts.length + 1)).toThrow(CursorInvalid);
    });
  });

  it('is nothing but parts of a key, or refused as what it is', () => {
    const written = fc.tuple(fc.constant('list'), fc.json()).map(([list, json]) => `["${list}",${json}]`);
    const guessed = fc.oneof(written, fc.json(), fc.string()).map(text => Buffer.from(text).toString('base64url'));
    holds(fc.oneof(guessed, fc.string({ unit: 'binary' })), text => {
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

describe('a frame of a client', () => {
  it('is read, or refused as what it is: nothing else comes out of any text', () => {
    const shaped = fc.record(
      { type: fc.jsonValue(), data: fc.jsonValue(), payload: fc.jsonValue(), token: fc.jsonValue() },
      { requiredKeys: [] },
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      shaped.map(frame => JSON.stringify(frame)),
    );
    holds(text, said => {
      try {
        const frame = parseFrame(said);
        const given = JSON.parse(said) as Record<string, unknown>;
        expect(frame.type).toBe(given.type);
        const fields = frame.pick('token', 'toString', '__proto__');
        expect(Object.keys(fields).filter(name => name !== 'token' && !said.includes(name))).toEqual([]);
      } catch (error) {
        expect(error).toBeInstanceOf(DomainError);
        expect(['frame_malformed', 'frame_too_many_values']).toContain((error as DomainError).code);
      }
    });
  });

  it('has the same fields, whether they stand at the top, under data or under payload', () => {
    const name = fc.string().filter(key => !['type', 'data', 'payload', '__proto__'].includes(key));
    holds(
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

  /** Members and elements of a value at all levels, and how deep its objects and arrays are nested. */
  function measureValue(value: unknown): { values: number; depth: number } {
    if (typeof value !== 'object' || value === null) return { values: 0, depth: 0 };
    const inner = Object.values(value).map(measureValue);
    return {
      values: inner.reduce((sum, { values }) => sum + 1 + values, 0),
      depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    };
  }

  it('is measured in its text exactly as its values are counted once it is parsed, however it is spaced', () => {
    const limits = { values: Infinity, depth: Infinity };
    const spaces = fc.constantFrom(undefined, 1, '\t', '\n');
    holds(fc.tuple(fc.jsonValue({ maxDepth: 6 }), spaces), ([value, space]) => {
      expect(measureJson(JSON.stringify(value, null, space), limits)).toEqual(measureValue(value));
    });
  });

  it('is never parsed when it has more than 50 values, wherever they are', () => {
    const list = (length: number) => Array.from({ length }, (_nothing, index) => index);
    const frames = [
      { type: 'ping', ...Object.fromEntries(list(50).map(index => [`k${index}`, index])) },
      { type: 'ping', data: list(49) },
      { type: 'ping', data: { 'a "quoted" \\ key,': list(24), other: list(24) } },
    ];
    const parse = jest.spyOn(JSON, 'parse');
    for (const frame of frames) expect(() => parseFrame(JSON.stringify(frame))).toThrow(FrameTooManyValues);
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
    expect(parseFrame(JSON.stringify({ type: 'ping', data: list(48) })).type).toBe('ping');
  });
});

describe('the network of an address', () => {
  const group = fc.integer({ min: 0, max: 0xffff });
  const groups = fc.oneof(
    fc.array(group, { minLength: 8, maxLength: 8 }),
    fc.array(fc.constantFrom(0, 1, 0xffff, 0x64, 0xff9b), { minLength: 8, maxLength: 8 }),
    fc.tuple(group, group).map(tail => [0, 0, 0, 0, 0, 0xffff, ...tail]),
    fc.tuple(group, group).map(tail => [0x64, 0xff9b, 0, 0, 0, 0, ...tail]),
  );

  it('is the same however the address is spelt', () => {
    holds(groups, parts => {
      const found = new Set(spellings(parts).map(networkOf));
      expect([parts, [...found]]).toEqual([parts, [expect.any(String)]]);
    });
  });

  it('is the same for two addresses exactly when they share their first four groups, or are one IPv4 address', () => {
    holds(fc.tuple(groups, groups, fc.nat({ max: 8 })), ([one, two, shared]) => {
      const other = [...one.slice(0, shared), ...two.slice(shared)];
      const [a, b] = [one, other].map(parts => networkOf(spellings(parts)[0] ?? ''));
      const plain = [one, other].every(parts => networkOf(spellings(parts)[0] ?? '').endsWith('/64'));
      const alike = plain ? one.slice(0, 4).join() === other.slice(0, 4).join() : one.join() === other.join();
      const bothStandForIPv4 = [a, b].every(network => !network?.endsWith('/64'));
      if (plain || !bothStandForIPv4) expect(a === b).toBe(alike);
      else expect(a === b).toBe(one.slice(6).join() === other.slice(6).join());
    });
  });

  it('of what is no address is what it is, and nothing throws', () => {
    holds(fc.string({ unit: 'binary' }), text => {
      if (!isIPv6(text) && !/^[\d.]+:\d+$/.test(text)) expect(networkOf(text)).toBe(text);
    });
  });
});

/** In full, with capitals and zeros in front, with every run of zeros left out, with an IPv4 address at its end. */
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
