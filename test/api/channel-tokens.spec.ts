import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TokenService } from '../../src/modules/auth/token.service.js';
import type { TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { heldRow } from '../support/held-row.js';
import type { Answer } from '../support/http.js';
import type { Json } from '../support/json.js';
import { ownDatabase } from '../support/own-database.js';
import { race } from '../support/race.js';
import type { TestSocket } from '../support/socket.js';
import { Refused } from '../support/socket.js';
import { jwt, readJwt } from '../support/tokens.js';
import type { Desk, Visitor } from '../support/world.js';
import { unique, World } from '../support/world.js';

/** Sockets end within a second; a busy machine has five. */
const SOON_MS = 5_000;

let database: TestDatabase;
/** Where channels are changed, and where else that has to show: the database alone connects the two. */
let here: World;
let there: World;
beforeAll(async () => {
  database = await ownDatabase();
  [here, there] = [await World.start({}, { database }), await World.start({}, { database })];
});
afterAll(async () => {
  await Promise.all([here.stop(), there.stop()]);
  await database.drop();
});

let desk: Desk;
let secret: string;
let verified: Visitor;
let unverified: Visitor;
/** On another channel of the desk. */
let elsewhere: Visitor;
beforeEach(async () => {
  desk = await here.desk();
  secret = (await rotateSecret()).data.identity_secret as string;
  verified = await here.visitor(desk, proof());
  unverified = await here.visitor(desk, { external_id: unique('user') });
  elsewhere = await here.visitor({ widgetToken: (await here.channel(desk)).widget_token });
});

function proof(externalId = unique('user')): Record<string, string> {
  const claims = { sub: externalId, exp: Math.floor(Date.now() / 1000) + 3600 };
  return { external_id: externalId, identity_token: jwt(claims, secret) };
}

const channelPath = (action = '') => `/v1/channels/${desk.channelId}${action}`;
const rotateSecret = () => desk.owner.api.post(channelPath('/rotate-identity-secret'));
const setMode = (identity_verification: string) => desk.owner.api.patch(channelPath(), { identity_verification });
const openSession = (body: object, token: string | null = null, world = here) =>
  world.as(token).post('/v1/widget/session', { widget_token: desk.widgetToken, ...body });
const outcome = ({ status, error }: Answer<Json>) => [status, error?.code];

/** What each visitor's token is worth, on both instances. */
async function worth(): Promise<Record<string, unknown>> {
  const of = async ({ token }: Visitor) => {
    const answers = await Promise.all([here, there].map(world => world.as(token).get('/v1/widget/contact')));
    const [one, other] = answers.map(answer => (answer.status === 200 ? 'good' : answer.error.code));
    return one === other ? one : [one, other];
  };
  return { verified: await of(verified), unverified: await of(unverified), elsewhere: await of(elsewhere) };
}

/** A socket of each visitor on each instance. */
async function sockets(): Promise<Record<'verified' | 'unverified' | 'elsewhere', TestSocket[]>> {
  const of = async (visitor: Visitor) => [await here.visitorSocket(visitor), await there.visitorSocket(visitor)];
  return { verified: await of(verified), unverified: await of(unverified), elsewhere: await of(elsewhere) };
}

const codes = (ended: TestSocket[]) => Promise.all(ended.map(async socket => (await socket.end(SOON_MS)).code));
const stillOpen = (open: TestSocket[]) => Promise.all(open.map(socket => socket.settled()));

describe('setting identity verification to required', () => {
  it('refuses the tokens of the channel’s unverified contacts for good and closes their sockets on every instance', async () => {
    const open = await sockets();
    expect((await setMode('required')).status).toBe(200);
    expect(await worth()).toEqual({ verified: 'good', unverified: 'token_revoked', elsewhere: 'good' });
    expect(await codes(open.unverified)).toEqual([4502, 4502]);
    await stillOpen([...open.verified, ...open.elsewhere]);
    await setMode('optional');
    expect((await worth()).unverified).toBe('token_revoked');
  });

  it('refuses nothing when it is repeated or another setting is changed', async () => {
    await setMode('required');
    const open = await sockets().catch(() => null);
    expect(open).toBeNull();
    const socket = await there.visitorSocket(verified);
    await setMode('required');
    await desk.owner.api.patch(channelPath(), { name: 'Renamed' });
    await stillOpen([socket]);
    expect((await worth()).verified).toBe('good');
  });

  it('refuses the token of a session that was being opened meanwhile', async () => {
    const externalId = unique('user');
    const { contactId } = await here.visitor(desk, { external_id: externalId });
    const held = await heldRow(database, 'contact', contactId, 'updated_at = updated_at');
    const opening = openSession({ external_id: externalId }, null, there);
    await held.awaited();
    await setMode('required');
    await held.commit();
    const session = await opening;
    expect(session.status).toBe(200);
    const token = session.data.visitor_token as string;
    expect(outcome(await there.as(token).get('/v1/widget/contact'))).toEqual([401, 'token_revoked']);
    expect(outcome(await openSession({}, token))).toEqual([401, 'identity_required']);
  });

  it('leaves no usable token and no open socket of eight sessions that race it', async () => {
    const opened = await race(9, async index => {
      const world = index % 2 ? here : there;
      if (index === 4) return void (await setMode('required'));
      const session = await openSession({ external_id: unique('user') }, null, world);
      if (session.status !== 200) return undefined;
      const token = session.data.visitor_token as string;
      const socket = await world.socket('visitor', { token }).catch((error: unknown) => error);
      return { token, socket };
    });
    for (const session of opened) {
      if (!session) continue;
      expect(outcome(await here.as(session.token).get('/v1/widget/contact'))).toEqual([401, 'token_revoked']);
      if (!(session.socket instanceof Refused)) expect(await codes([session.socket as TestSocket])).toEqual([4502]);
    }
  });
});

describe('rotating the identity secret', () => {
  it('refuses the tokens that the old secret proved and closes their sockets on every instance, and no others', async () => {
    const open = await sockets();
    secret = (await rotateSecret()).data.identity_secret as string;
    expect(await worth()).toEqual({ verified: 'token_revoked', unverified: 'good', elsewhere: 'good' });
    expect(await codes(open.verified)).toEqual([4502, 4502]);
    await stillOpen([...open.unverified, ...open.elsewhere]);
    const again = await openSession(proof());
    expect((await here.as(again.data.visitor_token as string).get('/v1/widget/contact')).status).toBe(200);
  });

  it('refuses the token of a session that was proved with the old secret and opened meanwhile', async () => {
    const externalId = unique('user');
    const { contactId } = await here.visitor(desk, proof(externalId));
    const held = await heldRow(database, 'contact', contactId, 'updated_at = updated_at');
    const opening = openSession(proof(externalId), null, there);
    await held.awaited();
    await rotateSecret();
    await held.commit();
    const { visitor_token: token } = (await opening).data as { visitor_token: string };
    expect(outcome(await there.as(token).get('/v1/widget/contact'))).toEqual([401, 'token_revoked']);
  });

  it('closes a socket that was renewed with a fresh token of the old secret', async () => {
    const who = proof();
    const visitor = await here.visitor(desk, who);
    const socket = await here.visitorSocket(visitor);
    socket.send({ type: 'auth', token: (await here.visitor(desk, who)).token });
    await socket.next('authenticated');
    await rotateSecret();
    expect(await codes([socket])).toEqual([4502]);
  });
});

describe('rotating the widget token', () => {
  const rotateToken = (query = '') => desk.owner.api.post(channelPath(`/rotate-token${query}`));

  it('ends no session that is open', async () => {
    const open = await sockets();
    for (const query of ['', '?end_sessions=false']) expect((await rotateToken(query)).status).toBe(200);
    expect(await worth()).toEqual({ verified: 'good', unverified: 'good', elsewhere: 'good' });
    await stillOpen(Object.values(open).flat());
    expect(outcome(await openSession({}))).toEqual([401, 'widget_token_invalid']);
  });

  it('ends every session of the channel with end_sessions=true, on every instance', async () => {
    const open = await sockets();
    const rotated = await rotateToken('?end_sessions=true');
    expect(await worth()).toEqual({ verified: 'token_revoked', unverified: 'token_revoked', elsewhere: 'good' });
    expect(await codes([...open.verified, ...open.unverified])).toEqual([4502, 4502, 4502, 4502]);
    await stillOpen(open.elsewhere);
    desk.widgetToken = rotated.data.widget_token as string;
    // what was refused renews nothing
    const renewed = await openSession({}, unverified.token);
    expect(renewed.data.contact_id).not.toBe(unverified.contactId);
    expect((await here.as(renewed.data.visitor_token as string).get('/v1/widget/contact')).status).toBe(200);
  });

  it('takes no other value of end_sessions than true and false (400)', async () => {
    expect((await rotateToken('?end_sessions=yes')).status).toBe(400);
  });
});

describe('a refusal of tokens', () => {
  it('is in the audit log with who did it', async () => {
    await desk.owner.api.post(channelPath('/rotate-token?end_sessions=true'));
    // one by the setup's rotation, two by this one
    const entries = await eventually(async () => {
      const { items } = (await desk.owner.api.get('/v1/audit-log?action=channel.tokens_refused')).data;
      return items.length < 3 ? undefined : (items as Json[]);
    });
    const subject = { type: 'channel', id: desk.channelId };
    const actor = { type: 'member', id: desk.owner.memberId };
    for (const entry of entries) expect(entry).toMatchObject({ subject, actor });
  });
});

describe('a visitor token from before channels counted generations', () => {
  it('is good until its channel refuses the tokens of its kind', async () => {
    const { claims } = readJwt(unverified.token);
    const { sub, ws, ch, gen } = claims as unknown as { sub: string; ws: string; ch: string; gen: number };
    const old = here.app.app.get(TokenService).signVisitor({ sub, ws, ch, gen });
    expect(readJwt(old).claims).not.toHaveProperty('cgen');
    expect((await here.as(old).get('/v1/widget/contact')).status).toBe(200);
    await setMode('required');
    expect(outcome(await here.as(old).get('/v1/widget/contact'))).toEqual([401, 'token_revoked']);
  });
});

describe('a session that races a change of its contact', () => {
  it('is not opened for a contact whose external_id was changed meanwhile', async () => {
    const externalId = unique('user');
    const { contactId } = await here.visitor(desk, { external_id: externalId });
    const held = await heldRow(
      database,
      'contact',
      contactId,
      `external_id = '${unique('next')}', token_generation = 2`,
    );
    const opening = openSession({ external_id: externalId });
    await held.awaited();
    await held.commit();
    expect((await opening).data.contact_id).not.toBe(contactId);
  });

  it('does not renew a token that is refused meanwhile', async () => {
    const held = await heldRow(database, 'contact', unverified.contactId, 'token_generation = token_generation + 1');
    const opening = openSession({}, unverified.token);
    await held.awaited();
    await held.commit();
    expect((await opening).data.contact_id).not.toBe(unverified.contactId);
  });
});
