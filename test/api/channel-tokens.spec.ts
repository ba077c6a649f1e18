import { beforeEach, describe, expect, it } from '@jest/globals';
import { TokenService } from '../../src/modules/auth/token.service.js';
import { eventually } from '../support/eventually.js';
import { lockRowByUpdate } from '../support/blocking-transaction.js';
import type { Answer } from '../support/http.js';
import type { Json } from '../support/json.js';
import { race } from '../support/race.js';
import type { TestSocket } from '../support/socket.js';
import { Refused } from '../support/socket.js';
import { jwt, readJwt } from '../support/tokens.js';
import { database, desk, first, second } from '../support/two-instances-for-each.js';
import type { Visitor } from '../support/world.js';
import { unique } from '../support/world.js';

/** Sockets close within 1 s; a busy machine gets 5 s. */
const CLOSE_TIMEOUT_MS = 5_000;

let secret: string;
let verified: Visitor;
let unverified: Visitor;
/** A visitor on another channel of the desk. */
let elsewhere: Visitor;
beforeEach(async () => {
  secret = (await rotateSecret()).data.identity_secret as string;
  verified = await first.visitor(desk, createProof());
  unverified = await first.visitor(desk, { external_id: unique('user') });
  elsewhere = await first.visitor({ widgetToken: (await first.channel(desk)).widget_token });
});

function createProof(externalId = unique('user')): Record<string, string> {
  const claims = { sub: externalId, exp: Math.floor(Date.now() / 1000) + 3600 };
  return { external_id: externalId, identity_token: jwt(claims, secret) };
}

const channelPath = (action = '') => `/v1/channels/${desk.channelId}${action}`;
const rotateSecret = () => desk.owner.api.post(channelPath('/rotate-identity-secret'));
const setMode = (identity_verification: string) => desk.owner.api.patch(channelPath(), { identity_verification });
const openSession = (body: object, token: string | null = null, world = first) =>
  world.as(token).post('/v1/widget/session', { widget_token: desk.widgetToken, ...body });
const outcome = ({ status, error }: Answer<Json>) => [status, error?.code];

/** Returns `good` or the error code for each visitor's token, or both instances' results if they differ. */
async function checkTokens(): Promise<Record<string, unknown>> {
  const check = async ({ token }: Visitor) => {
    const answers = await Promise.all([first, second].map(world => world.as(token).get('/v1/widget/contact')));
    const [one, other] = answers.map(answer => (answer.status === 200 ? 'good' : answer.error.code));
    return one === other ? one : [one, other];
  };
  return { verified: await check(verified), unverified: await check(unverified), elsewhere: await check(elsewhere) };
}

/** Opens a socket for each visitor on each instance. */
async function openSockets(): Promise<Record<'verified' | 'unverified' | 'elsewhere', TestSocket[]>> {
  const open = async (visitor: Visitor) => [await first.visitorSocket(visitor), await second.visitorSocket(visitor)];
  return { verified: await open(verified), unverified: await open(unverified), elsewhere: await open(elsewhere) };
}

const closeCodes = (ended: TestSocket[]) =>
  Promise.all(ended.map(async socket => (await socket.end(CLOSE_TIMEOUT_MS)).code));
const assertStillOpen = (open: TestSocket[]) => Promise.all(open.map(socket => socket.settled()));

describe('Setting identity verification to required', () => {
  it('Requiring identity verification revokes the tokens and sockets of unverified contacts for good', async () => {
    const open = await openSockets();
    expect((await setMode('required')).status).toBe(200);
    expect(await checkTokens()).toEqual({ verified: 'good', unverified: 'token_revoked', elsewhere: 'good' });
    expect(await closeCodes(open.unverified)).toEqual([4502, 4502]);
    await assertStillOpen([...open.verified, ...open.elsewhere]);
    await setMode('optional');
    expect((await checkTokens()).unverified).toBe('token_revoked');
  });

  it('Requiring identity verification again, or changing another setting, revokes no tokens', async () => {
    await setMode('required');
    const open = await openSockets().catch(() => null);
    expect(open).toBeNull();
    const socket = await second.visitorSocket(verified);
    await setMode('required');
    await desk.owner.api.patch(channelPath(), { name: 'Renamed' });
    await assertStillOpen([socket]);
    expect((await checkTokens()).verified).toBe('good');
  });

  it('Requiring identity verification revokes the token of a session that is being opened meanwhile', async () => {
    const externalId = unique('user');
    const { contactId } = await first.visitor(desk, { external_id: externalId });
    const rowLock = await lockRowByUpdate(database, 'contact', contactId, 'updated_at = updated_at');
    const opening = openSession({ external_id: externalId }, null, second);
    await rowLock.awaited();
    await setMode('required');
    await rowLock.commit();
    const session = await opening;
    expect(session.status).toBe(200);
    const token = session.data.visitor_token as string;
    expect(outcome(await second.as(token).get('/v1/widget/contact'))).toEqual([401, 'token_revoked']);
    expect(outcome(await openSession({}, token))).toEqual([401, 'identity_required']);
  });

  it('Requiring identity verification leaves no token or socket of eight concurrent sessions usable', async () => {
    const opened = await race(9, async index => {
      const world = index % 2 ? first : second;
      if (index === 4) return void (await setMode('required'));
      const session = await openSession({ external_id: unique('user') }, null, world);
      if (session.status !== 200) return undefined;
      const token = session.data.visitor_token as string;
      const socket = await world.socket('visitor', { token }).catch((error: unknown) => error);
      return { token, socket };
    });
    for (const session of opened) {
      if (!session) continue;
      expect(outcome(await first.as(session.token).get('/v1/widget/contact'))).toEqual([401, 'token_revoked']);
      if (!(session.socket instanceof Refused))
        expect(await closeCodes([session.socket as TestSocket])).toEqual([4502]);
    }
  });
});

describe('Rotating the identity secret', () => {
  it('Rotating the identity secret revokes exactly the tokens and sockets proven with the old secret', async () => {
    const open = await openSockets();
    secret = (await rotateSecret()).data.identity_secret as string;
    expect(await checkTokens()).toEqual({ verified: 'token_revoked', unverified: 'good', elsewhere: 'good' });
    expect(await closeCodes(open.verified)).toEqual([4502, 4502]);
    await assertStillOpen([...open.unverified, ...open.elsewhere]);
    const again = await openSession(createProof());
    expect((await first.as(again.data.visitor_token as string).get('/v1/widget/contact')).status).toBe(200);
  });

  it('Rotating the identity secret revokes the token of a session that is being opened meanwhile', async () => {
    const externalId = unique('user');
    const { contactId } = await first.visitor(desk, createProof(externalId));
    const rowLock = await lockRowByUpdate(database, 'contact', contactId, 'updated_at = updated_at');
    const opening = openSession(createProof(externalId), null, second);
    await rowLock.awaited();
    await rotateSecret();
    await rowLock.commit();
    const { visitor_token: token } = (await opening).data as { visitor_token: string };
    expect(outcome(await second.as(token).get('/v1/widget/contact'))).toEqual([401, 'token_revoked']);
  });

  it('Rotating the identity secret closes a socket that was renewed with a token of the old secret', async () => {
    const identity = createProof();
    const visitor = await first.visitor(desk, identity);
    const socket = await first.visitorSocket(visitor);
    socket.send({ type: 'auth', token: (await first.visitor(desk, identity)).token });
    await socket.next('authenticated');
    await rotateSecret();
    expect(await closeCodes([socket])).toEqual([4502]);
  });
});

describe('Rotating the widget token', () => {
  const rotateToken = (query = '') => desk.owner.api.post(channelPath(`/rotate-token${query}`));

  it('Rotating the widget token ends no open session by default', async () => {
    const open = await openSockets();
    for (const query of ['', '?end_sessions=false']) expect((await rotateToken(query)).status).toBe(200);
    expect(await checkTokens()).toEqual({ verified: 'good', unverified: 'good', elsewhere: 'good' });
    await assertStillOpen(Object.values(open).flat());
    expect(outcome(await openSession({}))).toEqual([401, 'widget_token_invalid']);
  });

  it('Rotating the widget token with end_sessions=true ends every session of the channel', async () => {
    const open = await openSockets();
    const rotated = await rotateToken('?end_sessions=true');
    expect(await checkTokens()).toEqual({ verified: 'token_revoked', unverified: 'token_revoked', elsewhere: 'good' });
    expect(await closeCodes([...open.verified, ...open.unverified])).toEqual([4502, 4502, 4502, 4502]);
    await assertStillOpen(open.elsewhere);
    desk.widgetToken = rotated.data.widget_token as string;
    // A refused token renews nothing.
    const renewed = await openSession({}, unverified.token);
    expect(renewed.data.contact_id).not.toBe(unverified.contactId);
    expect((await first.as(renewed.data.visitor_token as string).get('/v1/widget/contact')).status).toBe(200);
  });

  it('Rotating the widget token accepts only true and false for end_sessions (400)', async () => {
    expect((await rotateToken('?end_sessions=yes')).status).toBe(400);
  });
});

describe('Audit log of refused tokens', () => {
  it('The audit log records who refused the tokens of a channel', async () => {
    await desk.owner.api.post(channelPath('/rotate-token?end_sessions=true'));
    // One entry comes from the rotation in the setup, two from this one.
    const entries = await eventually(async () => {
      const { items } = (await desk.owner.api.get('/v1/audit-log?action=channel.tokens_refused')).data;
      return items.length < 3 ? undefined : (items as Json[]);
    });
    const subject = { type: 'channel', id: desk.channelId };
    const actor = { type: 'member', id: desk.owner.memberId };
    for (const entry of entries) expect(entry).toMatchObject({ subject, actor });
  });
});

describe('Visitor tokens without a channel generation', () => {
  it('A visitor token without a channel generation is valid until its channel refuses tokens of its kind', async () => {
    const { claims } = readJwt(unverified.token);
    const { sub, ws, ch, gen } = claims as unknown as { sub: string; ws: string; ch: string; gen: number };
    const old = first.app.app.get(TokenService).signVisitor({ sub, ws, ch, gen });
    expect(readJwt(old).claims).not.toHaveProperty('cgen');
    expect((await first.as(old).get('/v1/widget/contact')).status).toBe(200);
    await setMode('required');
    expect(outcome(await first.as(old).get('/v1/widget/contact'))).toEqual([401, 'token_revoked']);
  });
});

describe('Sessions that race a change of their contact', () => {
  it('A session is not opened for a contact whose external_id changes at that moment', async () => {
    const externalId = unique('user');
    const { contactId } = await first.visitor(desk, { external_id: externalId });
    const rowLock = await lockRowByUpdate(
      database,
      'contact',
      contactId,
      `external_id = '${unique('next')}', token_generation = 2`,
    );
    const opening = openSession({ external_id: externalId });
    await rowLock.awaited();
    await rowLock.commit();
    expect((await opening).data.contact_id).not.toBe(contactId);
  });

  it('A session does not renew a token that is refused at that moment', async () => {
    const rowLock = await lockRowByUpdate(
      database,
      'contact',
      unverified.contactId,
      'token_generation = token_generation + 1',
    );
    const opening = openSession({}, unverified.token);
    await rowLock.awaited();
    await rowLock.commit();
    expect((await opening).data.contact_id).not.toBe(unverified.contactId);
  });
});
