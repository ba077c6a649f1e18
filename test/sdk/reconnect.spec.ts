import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../../clients/sdk/src/index.js';
import { decideAfterClose, decideAfterRefusal, type ReconnectContext } from '../../clients/sdk/src/reconnect.js';

const calm: ReconnectContext = {
  attempt: 0,
  backoff: { baseMs: 500, capMs: 30_000 },
  random: () => 1,
  renewable: true,
};

describe('Reconnecting after a close', () => {
  it.each([1000, 1001, 1005, 1006, 1011, 1012, 1013, 4000, 4001, 4002, 4003, 4008, 4499])(
    'A socket closed with %i reconnects',
    code => {
      expect(decideAfterClose(code, calm)).toMatchObject({ again: true });
    },
  );

  it.each([1002, 1003, 1007, 1008, 1009, 1010, 4500, 4501, 4502, 4503, 4504, 4999])(
    'A socket closed with %i does not reconnect',
    code => {
      expect(decideAfterClose(code, calm)).toEqual({ again: false });
    },
  );

  it('The wait before a reconnect doubles up to its cap, and is a random part of it', () => {
    const wait = (attempt: number) => decideAfterClose(1006, { ...calm, attempt });
    expect([0, 1, 2, 3, 10, 1000].map(attempt => wait(attempt))).toMatchObject(
      [500, 1000, 2000, 4000, 30_000, 30_000].map(waitMs => ({ waitMs })),
    );
    expect(decideAfterClose(1006, { ...calm, attempt: 10, random: () => 0 })).toMatchObject({ waitMs: 0 });
    expect(decideAfterClose(1006, { ...calm, attempt: 10, random: () => 0.5 })).toMatchObject({ waitMs: 15_000 });
  });

  it('After a restart (1012) clients reconnect within five seconds', () => {
    expect(decideAfterClose(1012, calm)).toMatchObject({ waitMs: 5_000 });
    expect(decideAfterClose(1012, { ...calm, random: () => 0 })).toMatchObject({ waitMs: 0 });
  });

  it('After a rate limit (4008) a client waits at least ten seconds', () => {
    expect(decideAfterClose(4008, { ...calm, random: () => 0 })).toMatchObject({ waitMs: 10_000 });
  });

  it('An expired token (4003) is replaced at once, but not repeatedly, and not when it cannot be refreshed', () => {
    expect(decideAfterClose(4003, calm)).toEqual({ again: true, waitMs: 0, freshToken: true });
    expect(decideAfterClose(4003, { ...calm, attempt: 3 })).toMatchObject({ waitMs: 4_000 });
    expect(decideAfterClose(4003, { ...calm, renewable: false })).toEqual({ again: false });
  });
});

describe('Reconnecting after a refused handshake', () => {
  const refused = (status: number, code: string, retryAfter?: number) =>
    decideAfterRefusal(new ApiError({ status, code, message: code, retryAfter }), calm);

  it.each([
    [401, 'invalid_token'],
    [401, 'token_revoked'],
    [403, 'member_deactivated'],
    [404, 'not_found'],
    [400, 'malformed_request'],
  ])('A handshake refused with %i %s is not tried again', (status, code) => {
    expect(refused(status, code)).toEqual({ again: false });
  });

  it('A handshake refused for an expired token is tried again with a new one', () => {
    expect(refused(401, 'token_expired')).toEqual({ again: true, waitMs: 0, freshToken: true });
  });

  it('A handshake refused with 502, 503 or 429 is tried again no sooner than `Retry-After`', () => {
    expect(refused(503, 'unavailable')).toMatchObject({ again: true, waitMs: 500 });
    expect(refused(502, 'invalid_response')).toMatchObject({ again: true });
    expect(refused(429, 'rate_limited', 20)).toMatchObject({ again: true, waitMs: 20_500 });
  });
});
