import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { Answer, Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import { jwt } from '../support/tokens.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { unique, World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

let desk: Desk;
let secret: string;
/** An agent limited to the one channel of the desk. */
let scoped: Agent;
/** A key with the scope `contacts:write` only. */
let smallKey: Caller;
/** The external_ids of the two visitors. */
let ids: { verified: string; unverified: string };
let verified: Visitor;
let unverified: Visitor;
beforeEach(async () => {
  desk = await world.desk();
  secret = (await desk.owner.api.post(`/v1/channels/${desk.channelId}/rotate-identity-secret`)).data.identity_secret;
  scoped = await world.colleague(desk, { channel_ids: [desk.channelId] });
  smallKey = await world.apiKey(desk, { scopes: ['contacts:write'] });
  ids = { verified: unique('verified'), unverified: unique('unverified') };
  verified = await world.visitor(desk, { external_id: ids.verified, identity_token: createProof(ids.verified) });
  unverified = await world.visitor(desk, { external_id: ids.unverified });
});

function createProof(subject: string): string {
  return jwt({ sub: subject, exp: Math.floor(Date.now() / 1000) + 3600 }, secret);
}

const path = ({ contactId }: { contactId: string }, action = '') => `/v1/contacts/${contactId}${action}`;
const outcome = ({ status, error }: Answer<Json>) => [status, error?.code];
const openSession = (body: object, token: string | null = null) =>
  world.as(token).post('/v1/widget/session', { widget_token: desk.widgetToken, ...body });

describe('external_id of a verified contact', () => {
  it('The external_id of a verified contact cannot be changed or cleared by any caller (422)', async () => {
    const callers = [desk.owner.api, await world.apiKey(desk), smallKey, scoped.api];
    for (const caller of callers) {
      for (const external_id of [unique('other'), null]) {
        const answer = await caller.patch(path(verified), { external_id, name: 'Changed' });
        expect(outcome(answer)).toEqual([422, 'contact_verified']);
      }
    }
    expect((await desk.owner.api.get(path(verified))).data).toMatchObject({ external_id: ids.verified, name: null });
    expect((await verified.api.get('/v1/widget/contact')).status).toBe(200);
  });

  it('The external_id of a verified contact may be repeated in a change of other fields', async () => {
    for (const caller of [desk.owner.api, scoped.api]) {
      const name = unique('Name');
      const changed = await caller.patch(path(verified), { external_id: ids.verified, name });
      expect(changed).toMatchObject({ status: 200, data: { external_id: ids.verified, name } });
    }
  });

  it('A verified contact cannot be taken over with a valid proof for another external_id', async () => {
    const attackerId = unique('attacker');
    await world.conversation(verified, 'My card ends in 1234');
    await smallKey.patch(path(verified), { external_id: attackerId });
    const session = await openSession({ external_id: attackerId, identity_token: createProof(attackerId) });
    expect(session.data.contact_id).not.toBe(verified.contactId);
    const attacker = world.as(session.data.visitor_token);
    expect((await attacker.get('/v1/widget/conversations')).data.items).toEqual([]);
  });
});

describe('external_id of an unverified contact', () => {
  it('An unverified external_id is changed by callers who see it, which ends tokens and sockets', async () => {
    const keys = [
      await world.apiKey(desk),
      await world.apiKey(desk, { scopes: ['contacts:write', 'conversations:read'] }),
    ];
    for (const caller of [desk.owner.api, (await world.colleague(desk)).api, ...keys]) {
      for (const first of [{ external_id: unique('user') }, {}]) {
        const visitor = await world.visitor(desk, first);
        const socket = await world.visitorSocket(visitor);
        const next = unique('next');
        const changed = await caller.patch(path(visitor), { external_id: next });
        expect(changed).toMatchObject({ status: 200, data: { external_id: next } });
        expect(outcome(await visitor.api.get('/v1/widget/contact'))).toEqual([401, 'token_revoked']);
        expect((await socket.end()).code).toBe(4502);
        expect((await openSession({ external_id: next })).data.contact_id).toBe(visitor.contactId);
      }
    }
  });

  it('Scoped agents and keys without conversations:read cannot change an external_id (403)', async () => {
    const taken = unique('taken');
    await world.visitor(desk, { external_id: taken });
    for (const [caller, code] of [
      [scoped.api, 'scope_too_narrow'],
      [smallKey, 'forbidden'],
    ] as const) {
      for (const external_id of [unique('free'), taken, ids.unverified, null]) {
        expect(outcome(await caller.patch(path(unverified), { external_id }))).toEqual([403, code]);
      }
      expect((await caller.patch(path(unverified), { name: 'Known' })).status).toBe(200);
    }
    expect((await desk.owner.api.get(path(unverified))).data.external_id).toBe(ids.unverified);
    expect((await unverified.api.get('/v1/widget/contact')).status).toBe(200);
  });

  it('Callers who may not see an external_id cannot probe it by creating a contact (403)', async () => {
    for (const [caller, code] of [
      [scoped.api, 'scope_too_narrow'],
      [smallKey, 'forbidden'],
    ] as const) {
      for (const external_id of [ids.unverified, unique('free')]) {
        expect(outcome(await caller.post('/v1/contacts', { external_id }))).toEqual([403, code]);
      }
      expect((await caller.post('/v1/contacts', { name: 'Carla' })).status).toBe(201);
    }
    expect(outcome(await desk.owner.api.post('/v1/contacts', { external_id: ids.unverified }))).toEqual([
      409,
      'external_id_taken',
    ]);
  });
});

describe('external_id of an unverified contact in responses', () => {
  /** Returns the external_ids of both contacts as a caller reads them by GET and in the list. */
  async function readExternalIds(caller: Caller): Promise<Record<string, unknown>> {
    const [one, two] = [await caller.get(path(verified)), await caller.get(path(unverified))];
    const listed = (await caller.get('/v1/contacts')).data.items as { id: string; external_id: string | null }[];
    const inList = ({ contactId }: Visitor) => listed.find(({ id }) => id === contactId)?.external_id;
    return {
      get: [one.data.external_id, two.data.external_id],
      list: [inList(verified), inList(unverified)],
    };
  }

  it('An unverified external_id is shown to agents with scope all and to keys that read conversations', async () => {
    const both = [ids.verified, ids.unverified];
    for (const caller of [
      desk.owner.api,
      (await world.colleague(desk)).api,
      await world.apiKey(desk),
      await world.apiKey(desk, { scopes: ['contacts:read', 'conversations:read'] }),
      await world.apiKey(desk, { scopes: ['contacts:read', 'conversations:write'] }),
    ]) {
      expect(await readExternalIds(caller)).toEqual({ get: both, list: both });
    }
  });

  it('An unverified external_id is null for scoped agents and keys without conversations:read', async () => {
    const one = [ids.verified, null];
    for (const caller of [
      scoped.api,
      (await world.colleague(desk, { role: 'admin', channel_ids: [desk.channelId] })).api,
      smallKey,
      await world.apiKey(desk, { scopes: ['contacts:read'] }),
    ]) {
      expect(await readExternalIds(caller)).toEqual({ get: one, list: one });
    }
    const changed = await scoped.api.patch(path(unverified), { name: unique('Name') });
    expect(changed.data.external_id).toBeNull();
    const blocked = await smallKey.post(path(unverified, '/block'));
    expect(blocked).toMatchObject({ status: 200, data: { blocked: true, external_id: null } });
  });

  it('An unverified external_id is null in the export of a key without conversations:read', async () => {
    const merged = await world.visitor(desk, { external_id: unique('merged') });
    await desk.owner.api.post(path(unverified, '/merge'), { from_id: merged.contactId });
    const exportKey = await world.apiKey(desk, { scopes: ['contact-exports:write'] });
    const ofKey = (await exportKey.post(path(unverified, '/export'))).data;
    expect([ofKey.contact.external_id, ofKey.merged_contacts[0].external_id]).toEqual([null, null]);
    const ofOwner = (await desk.owner.api.post(path(unverified, '/export'))).data;
    expect(ofOwner.contact.external_id).toBe(ids.unverified);
    expect(ofOwner.merged_contacts[0].external_id).toMatch(/^merged-/);
  });

  it('A search finds a contact by its complete external_id, and only for callers to whom that is shown', async () => {
    const search = async (caller: Caller, query: string) =>
      ((await caller.get(`/v1/contacts?${query}`)).data.items as { id: string }[]).map(({ id }) => id);
    const [one, two] = [[verified.contactId], [unverified.contactId]];
    for (const by of ['query', 'external_id']) {
      for (const caller of [desk.owner.api, await world.apiKey(desk)]) {
        expect(await search(caller, `${by}=${ids.verified}`)).toEqual(one);
        expect(await search(caller, `${by}=${ids.unverified}`)).toEqual(two);
        expect(await search(caller, `${by}=${ids.unverified.slice(0, -1)}`)).toEqual([]);
      }
      for (const caller of [scoped.api, smallKey]) {
        expect(await search(caller, `${by}=${ids.verified}`)).toEqual(one);
        expect(await search(caller, `${by}=${ids.unverified}`)).toEqual([]);
      }
    }
  });

  it('An unverified external_id is null in the events of a key without conversations:read', async () => {
    await desk.owner.api.patch(path(verified), { name: 'Vera' });
    await desk.owner.api.patch(path(unverified), { name: 'Uwe' });
    // A page ends at the log's watermark, which any open transaction of the cluster can delay.
    const readIds = (caller: Caller) =>
      eventually(async () => {
        const items = (await caller.get('/v1/events')).data.items as { type: string; data: Json }[];
        const changes = items.filter(({ type }) => type === 'contact.updated');
        return changes.length < 2 ? undefined : changes.map(({ data }) => data.external_id as string | null);
      });
    expect(await readIds(desk.owner.api)).toEqual([ids.verified, ids.unverified]);
    const scopes = ['events:read', 'conversations:read'];
    expect(await readIds(await world.apiKey(desk, { scopes }))).toEqual([ids.verified, ids.unverified]);
    expect(await readIds(await world.apiKey(desk, { scopes: ['events:read'] }))).toEqual([ids.verified, null]);
  });

  it("An unverified external_id is null in a scoped agent's frames, live and replayed", async () => {
    const [inbox, narrow] = [await world.agentSocket(desk.owner), await world.agentSocket(scoped)];
    const { cursor } = (await narrow.next('connected')).data as { cursor: string };
    for (const visitor of [verified, unverified]) await desk.owner.api.patch(path(visitor), { name: unique('Name') });
    const receivedIds = async (socket: Awaited<ReturnType<World['agentSocket']>>) => {
      await socket.next('contact.updated', ({ data }) => data.id === unverified.contactId);
      return socket.of('contact.updated').map(({ data }) => data.external_id as string | null);
    };
    expect(await receivedIds(inbox)).toEqual([ids.verified, ids.unverified]);
    expect(await receivedIds(narrow)).toEqual([ids.verified, null]);
    expect(await receivedIds(await world.agentSocket(scoped, { after: cursor }))).toEqual([ids.verified, null]);
    expect(await receivedIds(await world.agentSocket(desk.owner, { after: cursor }))).toEqual([
      ids.verified,
      ids.unverified,
    ]);
  });
});

describe('Permissions of keys over identities', () => {
  it('A key needs conversations:read beside contacts:write to merge contacts (403)', async () => {
    const merge = (caller: Caller, from: Visitor) =>
      caller.post(path(unverified, '/merge'), { from_id: from.contactId });
    const victim = await world.visitor(desk, { external_id: unique('victim') });
    await world.conversation(victim, 'My card ends in 1234');
    expect(outcome(await merge(smallKey, victim))).toEqual([403, 'forbidden']);
    expect((await unverified.api.get('/v1/widget/conversations')).data.items).toEqual([]);
    const reading = await world.apiKey(desk, { scopes: ['contacts:write', 'conversations:read'] });
    expect((await merge(reading, victim)).status).toBe(200);
  });

  it('A key without full access cannot create channels or rotate an identity secret (403)', async () => {
    const rotate = `/v1/channels/${desk.channelId}/rotate-identity-secret`;
    const small = await world.apiKey(desk, { scopes: ['channels:write', 'contacts:write', 'conversations:write'] });
    expect(outcome(await small.post('/v1/channels', { name: 'Shop' }))).toEqual([403, 'forbidden']);
    expect(outcome(await small.post(rotate))).toEqual([403, 'forbidden']);
    expect((await small.patch(`/v1/channels/${desk.channelId}`, { name: 'Shop' })).status).toBe(200);
    expect((await small.post(`/v1/channels/${desk.channelId}/rotate-token`)).status).toBe(200);
    for (const scopes of [['*'], ['channels:write', 'sso:write']]) {
      const whole = await world.apiKey(desk, { scopes });
      expect((await whole.post('/v1/channels', { name: 'Shop' })).status).toBe(201);
      expect((await whole.post(rotate)).status).toBe(200);
    }
  });
});
