import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import { heldRow } from '../support/held-row.js';
import { ownDatabase } from '../support/own-database.js';
import { race } from '../support/race.js';
import type { TestSocket } from '../support/socket.js';
import { Refused } from '../support/socket.js';
import type { Desk, Visitor } from '../support/world.js';
import { unique, World } from '../support/world.js';

/** Sockets end within a second; a busy machine has five. */
const SOON_MS = 5_000;

let database: TestDatabase;
/** Where contacts are shut out, and where else that has to show: the database alone connects the two. */
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
let visitor: Visitor;
let externalId: string;
beforeEach(async () => {
  desk = await here.desk();
  externalId = unique('user');
  visitor = await here.visitor(desk, { external_id: externalId, name: 'Vera' });
});

const path = (action = '') => `/v1/contacts/${visitor.contactId}${action}`;
const block = () => desk.owner.api.post(path('/block'));
const unblock = () => desk.owner.api.post(path('/unblock'));
const codes = (sockets: TestSocket[]) => Promise.all(sockets.map(async socket => (await socket.end(SOON_MS)).code));

/** What the log says was done to the contact, beside what it says of it. */
function decisions(): Promise<{ type: string; actor: unknown; payload: object; address: string }[]> {
  return database.query(
    `SELECT type, actor, payload, address FROM event WHERE type LIKE 'contact.%blocked' AND contact_id = $1 ORDER BY position`,
    [visitor.contactId],
  );
}

async function handshake(world: World, who = visitor): Promise<number> {
  const outcome = await world.visitorSocket(who).catch((error: unknown) => error);
  if (outcome instanceof Refused) return outcome.status;
  await (outcome as TestSocket).close();
  return 101;
}

describe('a contact that is blocked', () => {
  it('loses its sockets on every instance, with 4502, and nobody else does', async () => {
    const conversation = await here.conversation(visitor);
    const stranger = await here.visitor(desk);
    const others = [await there.visitorSocket(stranger), await here.agentSocket(desk.owner)];
    const own = [
      await here.visitorSocket(visitor),
      await there.visitorSocket(visitor),
      await there.visitorSocket(visitor, { conv: conversation.id }),
    ];
    expect((await block()).data).toMatchObject({ id: visitor.contactId, blocked: true });
    expect(await codes(own)).toEqual([4502, 4502, 4502]);
    await Promise.all(others.map(socket => socket.settled()));
    await others[1]?.next('contact.updated', ({ data }) => data.id === visitor.contactId && data.blocked === true);
  });

  it('is refused whatever it asks, with the token it has and without, until it is let in again with all it had', async () => {
    const conversation = await here.conversation(visitor);
    await block();
    const bearer = { Authorization: `Bearer ${visitor.token}` };
    const session = { widget_token: desk.widgetToken, external_id: externalId };
    const asked = [
      await there.as(visitor.token).get('/v1/widget/conversations'),
      await there.as(visitor.token).post('/v1/widget/conversations', { message: { content: 'Let me in' } }),
      await there.anyone.post('/v1/widget/session', session),
      await there.anyone.post('/v1/widget/session', { widget_token: desk.widgetToken }, bearer),
    ];
    expect(asked.map(({ status, error }) => [status, error.code])).toEqual(Array(4).fill([403, 'contact_blocked']));
    expect(await handshake(there)).toBe(403);
    expect((await unblock()).data.blocked).toBe(false);
    expect((await there.as(visitor.token).get(`/v1/widget/conversations/${conversation.id}`)).status).toBe(200);
    expect((await there.anyone.post('/v1/widget/session', session)).data.contact_id).toBe(visitor.contactId);
    expect(await handshake(here)).toBe(101);
  });

  it('is written down once, with who did it from where', async () => {
    await race(4, block);
    await race(4, unblock);
    const by = { actor: { type: 'member', id: desk.owner.memberId }, payload: { id: visitor.contactId } };
    const address = expect.stringContaining('127.0.0.1');
    expect(await decisions()).toEqual([
      { type: 'contact.blocked', ...by, address },
      { type: 'contact.unblocked', ...by, address },
    ]);
  });

  it('is shut out by agents and keys who see all channels, and by nobody else', async () => {
    const limited = await here.colleague(desk, { channel_ids: [desk.channelId] });
    const agent = await here.colleague(desk);
    const key = await here.apiKey(desk, { scopes: ['contacts:write'] });
    const reader = await here.apiKey(desk, { scopes: ['contacts:read'] });
    const foreign = (await here.desk()).owner.api;
    const outcome = async (by: typeof key) => {
      const answer = await by.post(path('/block'));
      return [answer.status, answer.error?.code];
    };
    expect(await outcome(limited.api)).toEqual([403, 'scope_too_narrow']);
    expect(await outcome(reader)).toEqual([403, 'forbidden']);
    expect(await outcome(foreign)).toEqual([404, 'not_found']);
    expect((await desk.owner.api.get(path())).data.blocked).toBe(false);
    expect(await outcome(key)).toEqual([200, undefined]);
    expect((await agent.api.post(path('/unblock'))).data.blocked).toBe(false);
  });
});

describe('a block that comes while', () => {
  it('the contact says something waits for what has been said, or refuses it: what is acknowledged came before', async () => {
    const conversation = await here.conversation(visitor);
    const held = await heldRow(database, 'conversation', conversation.id, 'version = version');
    const said = visitor.api.post(`/v1/widget/conversations/${conversation.id}/messages`, { content: 'Before' });
    await held.awaited();
    const blocked = block();
    await held.awaited(2);
    await held.commit();
    expect([(await said).status, (await blocked).status]).toEqual([201, 200]);
    const order = await database.query<{ type: string }>(
      `SELECT type FROM event WHERE contact_id = $1 ORDER BY position DESC LIMIT 3`,
      [visitor.contactId],
    );
    expect(order.map(({ type }) => type)).toEqual(['contact.blocked', 'contact.updated', 'message.created']);
  });

  it('it is about to speak leaves nothing of it', async () => {
    const conversation = await here.conversation(visitor);
    const messages = `/v1/widget/conversations/${conversation.id}/messages`;
    const held = await heldRow(database, 'contact', visitor.contactId, 'blocked = true');
    const said = [
      visitor.api.post(messages, { content: 'Too late' }),
      there.as(visitor.token).post('/v1/widget/conversations', { message: { content: 'Too late' } }),
    ];
    await held.awaited(2);
    await held.commit();
    for (const { status, error } of await Promise.all(said))
      expect([status, error.code]).toEqual([403, 'contact_blocked']);
    expect(await database.query(`SELECT 1 FROM message WHERE content = 'Too late'`)).toEqual([]);
  });

  it('its sockets are opening leaves none open', async () => {
    const opening = race(8, index =>
      (index % 2 ? here : there).visitorSocket(visitor).catch((error: unknown) => error),
    );
    await block();
    const sockets = (await opening).filter(outcome => !(outcome instanceof Refused)) as TestSocket[];
    expect(new Set(await codes(sockets))).toEqual(new Set(sockets.length > 0 ? [4502] : []));
  });
});

describe('a visitor whose tokens end', () => {
  it('because its external_id is taken away loses its sockets on every instance too, and comes back as somebody else', async () => {
    const own = [await here.visitorSocket(visitor), await there.visitorSocket(visitor)];
    await desk.owner.api.patch(path(), { external_id: null });
    expect(await codes(own)).toEqual([4502, 4502]);
    const again = await there.visitor(desk, { external_id: externalId });
    expect(again.contactId).not.toBe(visitor.contactId);
    expect(await handshake(there, again)).toBe(101);
  });

  it('loses the sockets that live on by a fresh token too', async () => {
    const socket = await here.visitorSocket(visitor);
    const fresh = await here.visitor(desk, { external_id: externalId });
    socket.send({ type: 'auth', token: fresh.token });
    await socket.next('authenticated');
    await desk.owner.api.patch(path(), { name: 'Vera the second' });
    await socket.settled();
    await block();
    expect(await codes([socket])).toEqual([4502]);
  });
});
