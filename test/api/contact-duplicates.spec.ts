import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import { jwt } from '../support/tokens.js';
import type { Desk, Visitor } from '../support/world.js';
import { unique, World } from '../support/world.js';

let world: World;
let desk: Desk;
let email: string;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  desk = await world.desk();
  email = `${unique('vera')}@example.com`;
});

const duplicatesOf = async ({ contactId }: Visitor, by: Caller = desk.owner.api): Promise<Json[]> =>
  (await by.get(`/v1/contacts/${contactId}?include=duplicates`)).data.duplicates as Json[];
const idsOf = async (visitor: Visitor, by?: Caller) => (await duplicatesOf(visitor, by)).map(({ id }) => id as string);

/** A channel and a verified and an unverified contact of one external_id on it. */
async function openBothKinds(): Promise<{ channel: Json; verified: Visitor; unverified: Visitor }> {
  const channel = await world.channel(desk);
  const external_id = unique('user');
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  const identity_token = jwt({ sub: external_id, exp }, channel.identity_secret as string);
  const widget = { widgetToken: channel.widget_token as string };
  const verified = await world.visitor(widget, { external_id, identity_token, name: 'Vera' });
  return { channel, verified, unverified: await world.visitor(widget, { external_id }) };
}

describe('The duplicates of a contact', () => {
  it('A contact has duplicates only where they are asked for', async () => {
    const visitor = await world.visitor(desk);
    expect((await desk.owner.api.get(`/v1/contacts/${visitor.contactId}`)).data).not.toHaveProperty('duplicates');
    expect(await duplicatesOf(visitor)).toEqual([]);
    expect((await desk.owner.api.get(`/v1/contacts/${visitor.contactId}?include=x`)).status).toBe(400);
  });

  it('Contacts with the same e-mail are duplicates, verified and newest first, without the contact itself', async () => {
    const one = await world.visitor(desk, { email, name: 'Vera' });
    const two = await world.visitor(desk, { email: email.toUpperCase() });
    const made = await desk.owner.api.post('/v1/contacts', { email, name: 'V. L.' });
    await world.app.database.query('UPDATE contact SET verified = true WHERE id = $1', [one.contactId]);
    await world.visitor(desk, { email: `x${email}` });
    await world.visitor(desk);
    await world.visitor(await world.desk(), { email });
    expect(await duplicatesOf(two)).toEqual([
      { id: one.contactId, name: 'Vera', verified: true },
      { id: made.data.id, name: 'V. L.', verified: false },
    ]);
    expect(await idsOf(one)).toEqual([made.data.id, two.contactId]);
  });

  it('Contacts with the same external_id are duplicates, before those with the same e-mail', async () => {
    const { verified, unverified } = await openBothKinds();
    await verified.api.patch('/v1/widget/contact', { email });
    const other = await world.visitor(desk, { email });
    expect(await duplicatesOf(unverified)).toEqual([{ id: verified.contactId, name: 'Vera', verified: true }]);
    expect(await idsOf(verified)).toEqual([unverified.contactId, other.contactId]);
  });

  it('A caller who cannot see external ids does not learn that two are equal', async () => {
    const { channel, verified, unverified } = await openBothKinds();
    const scoped = await world.colleague(desk, { channel_ids: [channel.id as string] });
    expect(await idsOf(verified, scoped.api)).toEqual([]);
    expect(await idsOf(unverified, scoped.api)).toEqual([]);
    const key = await world.apiKey(desk, { scopes: ['contacts:read'] });
    expect(await idsOf(unverified, key)).toEqual([]);
    const reader = await world.apiKey(desk, { scopes: ['contacts:read', 'conversations:read'] });
    expect(await idsOf(unverified, reader)).toEqual([verified.contactId]);
  });

  it('An agent limited to channels sees only duplicates that came through them', async () => {
    const shop = await world.channel(desk);
    const here = await world.visitor(desk, { email });
    const alsoHere = await world.visitor(desk, { email });
    await world.visitor({ widgetToken: shop.widget_token as string }, { email });
    const scoped = await world.colleague(desk, { channel_ids: [desk.channelId] });
    expect(await idsOf(here, scoped.api)).toEqual([alsoHere.contactId]);
    expect(await idsOf(here)).toHaveLength(2);
  });

  it('Merged and erased contacts are no duplicates', async () => {
    const [one, two, three] = [
      await world.visitor(desk, { email }),
      await world.visitor(desk, { email }),
      await world.visitor(desk, { email }),
    ];
    expect(await idsOf(one)).toHaveLength(2);
    await desk.owner.api.delete(`/v1/contacts/${two.contactId}`);
    await desk.owner.api.post(`/v1/contacts/${one.contactId}/merge`, { from_id: three.contactId });
    expect(await idsOf(one)).toEqual([]);
  });

  it('At most ten duplicates are shown, also of thousands', async () => {
    const visitor = await world.visitor(desk, { email });
    await world.app.database.query(
      `INSERT INTO contact (workspace_id, id, email) SELECT $1, gen_random_uuid(), $2 FROM generate_series(1, 3000)`,
      [desk.workspaceId, email],
    );
    expect(await idsOf(visitor)).toHaveLength(10);
  });
});
