import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { race } from '../support/race.js';
import { readJwt } from '../support/tokens.js';
import type { Desk, Visitor } from '../support/world.js';
import { PASSWORD, World } from '../support/world.js';

const OLD = 'the secret that has signed all tokens up to now';
const NEW = 'the secret that shall sign all tokens from now on';

/** The token pair of a session that rotates its refresh token. */
interface Tokens {
  token: string;
  refresh_token: string;
}

let before: World;
/** An instance that accepts the new secret and still signs with the old one. */
let prepared: World;
/** An instance that signs with the new secret and still accepts the old one. */
let renewed: World;
let after: World;
let desk: Desk;
let visitor: Visitor;

beforeAll(async () => {
  before = await World.start({ JWT_SECRETS: OLD });
  const { database } = before.app;
  prepared = await World.start({ JWT_SECRETS: `${OLD},${NEW}` }, { database });
  renewed = await World.start({ JWT_SECRETS: `${NEW},${OLD}` }, { database });
  after = await World.start({ JWT_SECRETS: NEW }, { database });
  desk = await before.desk();
  visitor = await before.visitor(desk);
});
afterAll(async () => {
  for (const world of [after, renewed, prepared, before]) await world.stop();
});

/** The id of the secret that signed the token. */
const kidOf = (token: string) => readJwt(token).header.kid;
const kidIn = (world: World) => world.app.config.jwtSecrets[0]?.id;

function refresh(world: World, refresh_token: string) {
  return world.anyone.post<Tokens>('/v1/auth/refresh', { refresh_token });
}

async function rotating(world: World): Promise<Tokens> {
  const body = { email: desk.owner.email, password: PASSWORD, rotate: true };
  return (await world.anyone.post<Tokens>('/v1/auth/login', body)).data;
}

describe('A new JWT secret in first position', () => {
  it('Tokens signed with the old secret stay valid: access, refresh and visitor tokens, for requests and sockets', async () => {
    expect((await renewed.as(desk.owner.token).get('/v1/auth/me')).status).toBe(200);
    expect((await renewed.as(visitor.token).get('/v1/widget/contact')).status).toBe(200);
    expect((await refresh(renewed, desk.owner.refreshToken)).status).toBe(200);
    for (const socket of [await renewed.agentSocket(desk.owner), await renewed.visitorSocket(visitor)]) {
      await socket.close();
    }
    const again = await renewed.as(visitor.token).post('/v1/widget/session', { widget_token: desk.widgetToken });
    expect(again.data.contact_id).toBe(visitor.contactId);
  });

  it('The new secret signs logins, refreshed access tokens, rotated refresh tokens and visitor tokens', async () => {
    const opened = await rotating(before);
    expect([kidOf(opened.token), kidOf(opened.refresh_token)]).toEqual([kidIn(before), kidIn(before)]);
    const next = (await refresh(renewed, opened.refresh_token)).data;
    const login = await rotating(renewed);
    const signed = [next.token, next.refresh_token, login.token, login.refresh_token];
    expect(signed.map(kidOf)).toEqual(signed.map(() => kidIn(renewed)));
    expect(kidOf((await renewed.visitor(desk)).token)).toBe(kidIn(renewed));
    expect((await refresh(renewed, desk.owner.refreshToken)).data.refresh_token).toBe(desk.owner.refreshToken);
  });
});

describe('Two instances with the secrets in different order', () => {
  it('Two instances with the secrets in different order accept each other’s tokens', async () => {
    for (const [one, other] of [
      [prepared, renewed],
      [renewed, prepared],
    ] as const) {
      const session = await rotating(one);
      expect((await other.as(session.token).get('/v1/auth/me')).status).toBe(200);
      const next = (await refresh(other, session.refresh_token)).data;
      expect((await one.as(next.token).get('/v1/auth/me')).status).toBe(200);
      expect((await refresh(one, next.refresh_token)).status).toBe(200);
      const guest = await one.visitor(desk);
      expect((await other.as(guest.token).get('/v1/widget/contact')).data.id).toBe(guest.contactId);
    }
  });

  it('Two instances answer a repeated refresh with the same new token, which continues the session', async () => {
    for (const [one, other] of [
      [prepared, renewed],
      [renewed, prepared],
    ] as const) {
      const session = await rotating(one);
      const first = (await refresh(one, session.refresh_token)).data;
      const repeated = (await refresh(other, session.refresh_token)).data;
      expect(repeated.refresh_token).toBe(first.refresh_token);
      expect((await refresh(other, repeated.refresh_token)).status).toBe(200);
    }
  });

  it('Refreshes that race on two instances all get the same new token', async () => {
    const session = await rotating(prepared);
    const answers = await race(8, index => refresh(index % 2 === 0 ? prepared : renewed, session.refresh_token));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(answers.map(({ data }) => data.refresh_token)).size).toBe(1);
    expect((await refresh(renewed, answers[0]?.data.refresh_token ?? '')).status).toBe(200);
  });

  it('A refresh repeated on an instance without the secret of the first answer does not end the session', async () => {
    const session = await rotating(renewed);
    const first = (await refresh(prepared, session.refresh_token)).data;
    const repeated = (await refresh(after, session.refresh_token)).data;
    expect((await refresh(after, repeated.refresh_token)).status).toBe(200);
    expect((await refresh(after, first.refresh_token)).error.code).toBe('invalid_token');
  });
});

describe('An old JWT secret that was removed', () => {
  it('Removing an old secret invalidates its access, refresh and visitor tokens (401), also at the sockets', async () => {
    const refused = [
      await after.as(desk.owner.token).get('/v1/auth/me'),
      await after.as(visitor.token).get('/v1/widget/contact'),
      await refresh(after, desk.owner.refreshToken),
      await after.anyone.post('/v1/auth/logout', { refresh_token: desk.owner.refreshToken }),
    ];
    for (const answer of refused) expect([answer.status, answer.error.code]).toEqual([401, 'invalid_token']);
    await expect(after.agentSocket(desk.owner)).rejects.toMatchObject({ status: 401 });
    await expect(after.visitorSocket(visitor)).rejects.toMatchObject({ status: 401 });
  });

  it('After the old secret is removed, new logins and tokens signed with the new secret are accepted', async () => {
    const session = await rotating(renewed);
    expect((await after.as(session.token).get('/v1/auth/me')).status).toBe(200);
    expect((await refresh(after, session.refresh_token)).status).toBe(200);
    expect((await after.as((await rotating(after)).token).get('/v1/auth/me')).status).toBe(200);
  });
});
