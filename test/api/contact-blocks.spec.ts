import { beforeEach, describe, expect, it } from '@jest/globals';
import { lockRowByUpdate } from '../support/blocking-transaction.js';
import { race } from '../support/race.js';
import type { TestSocket } from '../support/socket.js';
import { Refused } from '../support/socket.js';
import { database, desk, first, second } from '../support/two-instances-for-each.js';
import type { Visitor, World } from '../support/world.js';
import { unique } from '../support/world.js';

/** Sockets close within 1 s; a busy machine gets 5 s. */
const CLOSE_TIMEOUT_MS = 5_000;

let visitor: Visitor;
let externalId: string;
beforeEach(async () => {
  externalId = unique('user');
  visitor = await first.visitor(desk, { external_id: externalId, name: 'Vera' });
});

const path = (action = '') => `/v1/contacts/${visitor.contactId}${action}`;
const block = () => desk.owner.api.post(path('/block'));
const unblock = () => desk.owner.api.post(path('/unblock'));
const closeCodes = (sockets: TestSocket[]) =>
  Promise.all(sockets.map(async socket => (await socket.end(CLOSE_TIMEOUT_MS)).code));

/** Returns the block and unblock events of the contact, oldest first. */
function readBlockEvents(): Promise<{ type: string; actor: unknown; payload: object; address: string }[]> {
  return database.query(
    `SELECT type, actor, payload, address FROM event
     WHERE type LIKE 'contact.%blocked' AND contact_id = $1 ORDER BY position`,
    [visitor.contactId],
  );
}

async function handshake(world: World, from = visitor): Promise<number> {
  const outcome = await world.visitorSocket(from).catch((error: unknown) => error);
  if (outcome instanceof Refused) return outcome.status;
  await (outcome as TestSocket).close();
  return 101;
}

describe('Blocking a contact', () => {
  it('Blocking a contact closes its sockets on every instance with 4502, and no others', async () => {
    const conversation = await first.conversation(visitor);
    const stranger = await first.visitor(desk);
    const others = [await second.visitorSocket(stranger), await first.agentSocket(desk.owner)];
    const closing = [
      await first.visitorSocket(visitor),
      await second.visitorSocket(visitor),
      await second.visitorSocket(visitor, { conv: conversation.id }),
    ];
    expect((await block()).data).toMatchObject({ id: visitor.contactId, blocked: true });
    expect(await closeCodes(closing)).toEqual([4502, 4502, 4502]);
    await Promise.all(others.map(socket => socket.settled()));
    await others[1]?.next('contact.updated', ({ data }) => data.id === visitor.contactId && data.blocked === true);
  });

  it('A blocked contact gets 403 on every request and handshake until it is unblocked', async () => {
    const conversation = await first.conversation(visitor);
    await block();
    const bearer = { Authorization: `Bearer ${visitor.token}` };
    const session = { widget_token: desk.widgetToken, external_id: externalId };
    const answers = [
      await second.as(visitor.token).get('/v1/widget/conversations'),
      await second.as(visitor.token).post('/v1/widget/conversations', { message: { content: 'Hello?' } }),
      await second.anyone.post('/v1/widget/session', session),
      await second.anyone.post('/v1/widget/session', { widget_token: desk.widgetToken }, bearer),
    ];
    expect(answers.map(({ status, error }) => [status, error.code])).toEqual(Array(4).fill([403, 'contact_blocked']));
    expect(await handshake(second)).toBe(403);
    expect((await unblock()).data.blocked).toBe(false);
    expect((await second.as(visitor.token).get(`/v1/widget/conversations/${conversation.id}`)).status).toBe(200);
    expect((await second.anyone.post('/v1/widget/session', session)).data.contact_id).toBe(visitor.contactId);
    expect(await handshake(first)).toBe(101);
  });

  it('A repeated block or unblock is recorded once, with its actor and address', async () => {
    await race(4, block);
    await race(4, unblock);
    const by = { actor: { type: 'member', id: desk.owner.memberId }, payload: { id: visitor.contactId } };
    const address = expect.stringContaining('127.0.0.1');
    expect(await readBlockEvents()).toEqual([
      { type: 'contact.blocked', ...by, address },
      { type: 'contact.unblocked', ...by, address },
    ]);
  });

  it('Agents and keys who see all channels can block and unblock a contact, others get 403 or 404', async () => {
    const limited = await first.colleague(desk, { channel_ids: [desk.channelId] });
    const agent = await first.colleague(desk);
    const key = await first.apiKey(desk, { scopes: ['contacts:write'] });
    const reader = await first.apiKey(desk, { scopes: ['contacts:read'] });
    const foreign = (await first.desk()).owner.api;
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

describe('Blocking a contact during its requests', () => {
  it('Blocking a contact waits for its message in progress, so none is recorded after the block', async () => {
    const conversation = await first.conversation(visitor);
    const rowLock = await lockRowByUpdate(database, 'conversation', conversation.id, 'version = version');
    const sent = visitor.api.post(`/v1/widget/conversations/${conversation.id}/messages`, { content: 'Before' });
    await rowLock.awaited();
    const blocked = block();
    await rowLock.awaited(2);
    await rowLock.commit();
    expect([(await sent).status, (await blocked).status]).toEqual([201, 200]);
    const order = await database.query<{ type: string }>(
      `SELECT type FROM event WHERE contact_id = $1 ORDER BY position DESC LIMIT 3`,
      [visitor.contactId],
    );
    expect(order.map(({ type }) => type)).toEqual(['contact.blocked', 'contact.updated', 'message.created']);
  });

  it('Blocking a contact refuses the messages that wait for it, and stores none of them', async () => {
    const conversation = await first.conversation(visitor);
    const messages = `/v1/widget/conversations/${conversation.id}/messages`;
    const rowLock = await lockRowByUpdate(database, 'contact', visitor.contactId, 'blocked = true');
    const sent = [
      visitor.api.post(messages, { content: 'Too late' }),
      second.as(visitor.token).post('/v1/widget/conversations', { message: { content: 'Too late' } }),
    ];
    await rowLock.awaited(2);
    await rowLock.commit();
    for (const { status, error } of await Promise.all(sent))
      expect([status, error.code]).toEqual([403, 'contact_blocked']);
    expect(await database.query(`SELECT 1 FROM message WHERE content = 'Too late'`)).toEqual([]);
  });

  it('Blocking a contact leaves none of the sockets open that it is opening at that moment', async () => {
    const opening = race(8, index =>
      (index % 2 ? first : second).visitorSocket(visitor).catch((error: unknown) => error),
    );
    await block();
    const sockets = (await opening).filter(outcome => !(outcome instanceof Refused)) as TestSocket[];
    expect(new Set(await closeCodes(sockets))).toEqual(new Set(sockets.length > 0 ? [4502] : []));
  });
});

describe('Visitors whose tokens are revoked', () => {
  it('A visitor whose external_id is removed loses its sockets and comes back as another contact', async () => {
    const closing = [await first.visitorSocket(visitor), await second.visitorSocket(visitor)];
    await desk.owner.api.patch(path(), { external_id: null });
    expect(await closeCodes(closing)).toEqual([4502, 4502]);
    const again = await second.visitor(desk, { external_id: externalId });
    expect(again.contactId).not.toBe(visitor.contactId);
    expect(await handshake(second, again)).toBe(101);
  });

  it('A blocked visitor also loses a socket that was renewed with a fresh token', async () => {
    const socket = await first.visitorSocket(visitor);
    const fresh = await first.visitor(desk, { external_id: externalId });
    socket.send({ type: 'auth', token: fresh.token });
    await socket.next('authenticated');
    await desk.owner.api.patch(path(), { name: 'Vera the second' });
    await socket.settled();
    await block();
    expect(await closeCodes([socket])).toEqual([4502]);
  });
});
