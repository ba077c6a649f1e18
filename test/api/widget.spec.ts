import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { localClockReads } from '../support/local-clock.js';
import { race } from '../support/race.js';
import { jwt, readJwt } from '../support/tokens.js';
import type { Desk } from '../support/world.js';
import { unique, World } from '../support/world.js';

const HOUR = 3600;
const DAY = 24 * HOUR;

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterEach(() => world.app.clock.reset());
afterAll(() => world.stop());

/** Opens a session; `bearer` is a visitor token that the page has from earlier. */
function open(desk: { widgetToken: string }, body: Record<string, unknown> = {}, bearer: string | null = null) {
  return world.as(bearer).post('/v1/widget/session', { widget_token: desk.widgetToken, ...body });
}

function openFrom(origin: string, widgetToken: string) {
  return world.anyone.post('/v1/widget/session', { widget_token: widgetToken }, { Origin: origin });
}

async function contactsOf(desk: Desk, query: string): Promise<{ id: string; verified: boolean }[]> {
  return (await desk.owner.api.get(`/v1/contacts?query=${encodeURIComponent(query)}`)).data.items as [];
}

async function stored(desk: Desk, contactId: string) {
  return (await desk.owner.api.get(`/v1/contacts/${contactId}`)).data;
}

/** Another desk, with these changes to its channel. */
async function deskWith(changes: Record<string, unknown>): Promise<Desk> {
  const desk = await world.desk();
  const changed = await desk.owner.api.patch(`/v1/channels/${desk.channelId}`, changes);
  expect(changed.status).toBe(200);
  return desk;
}

describe('Opening a widget session', () => {
  it('A widget session needs the widget token only', async () => {
    const desk = await world.desk();
    const session = await open(desk);
    expect(session.status).toBe(200);
    const { contact_id: contactId } = session.data;
    expect(session.data).toMatchObject({
      expires_in: DAY,
      channel_name: 'Website',
      contact: { id: contactId, name: null, email: null, phone: null, verified: false },
    });
    expect((await world.as(session.data.visitor_token).get('/v1/widget/contact')).data.id).toBe(contactId);
    expect((await stored(desk, contactId)).external_id).toBeNull();
  });

  it('A widget session lasts 24 hours and is then refused (401 token_expired)', async () => {
    const visitor = await world.visitor(await world.desk());
    world.app.clock.advance(DAY - 5);
    expect((await visitor.api.get('/v1/widget/contact')).status).toBe(200);
    world.app.clock.advance(10);
    const ended = await visitor.api.get('/v1/widget/contact');
    expect(ended).toMatchObject({ status: 401, error: { code: 'token_expired' } });
  });

  it('A widget session stores the visitor’s details, and keeps the ones a later session does not name', async () => {
    const desk = await world.desk();
    const externalId = unique('user');
    const details = {
      name: 'Vera',
      email: ' Vera@Example.COM',
      phone: '+49 30 1',
      locale: 'de-AT',
      custom_attributes: { plan: 'pro', Cart: { itemCount: 2 } },
    };
    const first = await open(desk, { external_id: externalId, ...details });
    const expected = { ...details, email: 'vera@example.com', external_id: externalId, verified: false };
    expect(await stored(desk, first.data.contact_id as string)).toMatchObject(expected);
    await open(desk, { external_id: externalId, name: 'Verena' });
    const contact = await stored(desk, first.data.contact_id as string);
    expect(contact).toMatchObject({ ...expected, name: 'Verena' });
    expect(Date.parse(contact.last_seen_at as string)).toBeGreaterThan(Date.now() - 60_000);
  });

  it('A widget session without new details changes only `last_seen_at`', async () => {
    const desk = await world.desk();
    const details = { external_id: unique('user'), name: 'Vera', custom_attributes: { zebra: 1, a: 2 } };
    const { contact_id: contactId } = (await open(desk, details)).data;
    const before = await stored(desk, contactId as string);
    world.app.clock.advance(60);
    await open(desk, details);
    const after = await stored(desk, contactId as string);
    expect(after).toEqual({ ...before, last_seen_at: after.last_seen_at });
    expect(after.last_seen_at).not.toBe(before.last_seen_at);
  });

  it.each([
    ['widget_token', undefined],
    ['widget_token', null],
    ['widget_token', 7],
    ['external_id', ''],
    ['external_id', 'x'.repeat(256)],
    ['name', null],
    ['name', 'a\u0000b'],
    ['email', 'josé@example.com'],
    ['phone', 123],
    ['locale', 'not a locale'],
    ['custom_attributes', ['a']],
    ['identity_token', 7],
  ])('A widget session with an invalid %s is refused (400)', async (field, value) => {
    const answer = await open(await world.desk(), { [field]: value });
    expect([answer.status, answer.error.details?.map(fault => fault.field)]).toEqual([400, [field]]);
  });

  it('A widget session needs the token of an active channel (401 widget_token_invalid)', async () => {
    const disabled = await deskWith({ status: 'disabled' });
    for (const widgetToken of [disabled.widgetToken, `wt_${'a'.repeat(32)}`, 'x']) {
      const answer = await open({ widgetToken });
      expect(answer).toMatchObject({ status: 401, error: { code: 'widget_token_invalid' } });
    }
  });
});

describe('The contact of a widget session', () => {
  it('Each visitor without an external_id gets a new contact', async () => {
    const desk = await world.desk();
    const [first, second] = [await world.visitor(desk), await world.visitor(desk)];
    expect(first.contactId).not.toBe(second.contactId);
  });

  it('Visitors with the same external_id get the same contact on every channel of the workspace, and only there', async () => {
    const [desk, foreign] = [await world.desk(), await world.desk()];
    const shop = await world.channel(desk);
    const body = { external_id: unique('user') };
    const first = await world.visitor(desk, body);
    expect((await world.visitor(desk, body)).contactId).toBe(first.contactId);
    expect((await world.visitor({ widgetToken: shop.widget_token }, body)).contactId).toBe(first.contactId);
    expect((await world.visitor(desk, { external_id: unique('user') })).contactId).not.toBe(first.contactId);
    expect((await world.visitor(foreign, body)).contactId).not.toBe(first.contactId);
  });

  it('A visitor gets the contact that agents created with the same external_id', async () => {
    const desk = await world.desk();
    const body = { external_id: unique('user'), name: 'Vera' };
    const contact = await desk.owner.api.post('/v1/contacts', body);
    expect((await world.visitor(desk, { external_id: body.external_id })).contactId).toBe(contact.data.id);
  });

  it('A visitor never gets an existing contact by e-mail or phone number alone', async () => {
    const desk = await world.desk();
    const body = { email: `${unique('vera')}@example.com`, phone: '+49 30 1234', name: 'Vera' };
    const first = await world.visitor(desk, { ...body, external_id: unique('user') });
    const others = [
      await world.visitor(desk, body),
      await world.visitor(desk, { ...body, external_id: unique('user') }),
    ];
    expect(new Set([first, ...others].map(({ contactId }) => contactId)).size).toBe(3);
  });

  it.each([false, true])(
    'Racing first sessions with one external_id make one contact (with identity proof: %s)',
    async proven => {
      const desk = await deskWith({ identity_verification: 'optional' });
      const externalId = unique('user');
      const secret = await identitySecretOf(desk);
      const proof = proven ? { identity_token: identityToken(externalId, secret) } : {};
      const answers = await race(10, n => open(desk, { external_id: externalId, name: `Vera ${n}`, ...proof }));
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
      expect(new Set(answers.map(({ data }) => data.contact_id as string)).size).toBe(1);
      expect(await contactsOf(desk, externalId)).toHaveLength(1);
    },
  );

  describe('A widget session with a visitor token as bearer', () => {
    it('A session with a valid visitor token gets the contact of the token', async () => {
      const desk = await world.desk();
      const visitor = await world.visitor(desk);
      const renewed = await open(desk, {}, visitor.token);
      expect(renewed.data.contact_id).toBe(visitor.contactId);
      expect(readJwt(renewed.data.visitor_token as string).claims.sub).toBe(visitor.contactId);
    });

    it('A session with a visitor token that expired up to 30 days ago gets its contact, and later a new one', async () => {
      const desk = await world.desk();
      const visitor = await world.visitor(desk);
      world.app.clock.advance(DAY + 30 * DAY - HOUR);
      expect((await open(desk, {}, visitor.token)).data.contact_id).toBe(visitor.contactId);
      world.app.clock.advance(2 * HOUR);
      expect((await open(desk, {}, visitor.token)).data.contact_id).not.toBe(visitor.contactId);
    });

    it('A session with the visitor token of another channel or workspace gets a new contact', async () => {
      const [desk, foreign] = [await world.desk(), await world.desk()];
      const shop = await world.channel(desk);
      const visitor = await world.visitor(desk);
      for (const other of [{ widgetToken: shop.widget_token as string }, foreign]) {
        const session = await open(other, {}, visitor.token);
        expect(session.status).toBe(200);
        expect(session.data.contact_id).not.toBe(visitor.contactId);
      }
    });

    it('A session with a revoked visitor token gets a new contact', async () => {
      const desk = await world.desk();
      const visitor = await world.visitor(desk);
      await world.app.database.query('UPDATE contact SET token_generation = token_generation + 1 WHERE id = $1', [
        visitor.contactId,
      ]);
      expect((await visitor.api.get('/v1/widget/contact')).error.code).toBe('token_revoked');
      expect((await open(desk, {}, visitor.token)).data.contact_id).not.toBe(visitor.contactId);
    });

    it('A session with an invalid visitor token gets a new contact', async () => {
      const desk = await world.desk();
      const visitor = await world.visitor(desk);
      const { header, claims } = readJwt(visitor.token);
      const bad = [
        'garbage',
        desk.owner.token,
        desk.owner.refreshToken,
        (await world.apiKey(desk)).token,
        jwt(claims, 'not the secret', header),
        jwt(claims, '', { ...header, alg: 'none' }),
      ];
      for (const token of bad) {
        const session = await open(desk, {}, token);
        expect(session.status).toBe(200);
        expect(session.data.contact_id).not.toBe(visitor.contactId);
      }
    });

    it('A session whose visitor token and external_id differ gets the contact of the external_id', async () => {
      const desk = await world.desk();
      const [one, two] = [unique('user'), unique('user')];
      const [first, second] = [
        await world.visitor(desk, { external_id: one }),
        await world.visitor(desk, { external_id: two }),
      ];
      expect((await open(desk, { external_id: one }, first.token)).data.contact_id).toBe(first.contactId);
      expect((await open(desk, { external_id: two }, first.token)).data.contact_id).toBe(second.contactId);
      const newcomer = await open(desk, { external_id: unique('user') }, first.token);
      expect([first.contactId, second.contactId]).not.toContain(newcomer.data.contact_id);
    });
  });
});

describe('The contact in the answer to a widget session', () => {
  it('A session without identity proof shows only the contact details that it sent itself', async () => {
    const desk = await world.desk();
    const externalId = unique('user');
    const visitor = await world.visitor(desk, {
      external_id: externalId,
      name: 'Vera',
      email: 'vera@example.com',
      phone: '1',
    });
    const answers = [
      await open(desk, { external_id: externalId }),
      await open(desk, {}, visitor.token),
      await open(desk, { external_id: externalId, name: 'Mallory' }),
    ];
    const silent = { id: visitor.contactId, name: null, email: null, phone: null, verified: false };
    expect(answers.map(({ data }) => data.contact as object)).toEqual([silent, silent, { ...silent, name: 'Mallory' }]);
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain('vera@example.com');
  });

  it('A session with identity proof shows all contact details', async () => {
    const desk = await world.desk();
    const externalId = unique('user');
    const secret = await identitySecretOf(desk);
    const proof = () => ({ external_id: externalId, identity_token: identityToken(externalId, secret) });
    await open(desk, { ...proof(), name: 'Vera', email: 'vera@example.com' });
    const again = await open(desk, { ...proof(), phone: '1' });
    expect(again.data.contact).toMatchObject({ name: 'Vera', email: 'vera@example.com', phone: '1', verified: true });
  });
});

describe('Reading the contact with a visitor token', () => {
  const PATH = '/v1/widget/contact';
  const VERA = { name: 'Vera', email: 'vera@example.com', phone: '+49 30 1' };

  it('A visitor without identity proof is shown only the details that the request itself sends', async () => {
    const desk = await world.desk();
    const externalId = unique('user');
    const vera = await world.visitor(desk, { external_id: externalId, ...VERA });
    const intruder = await world.visitor(desk, { external_id: externalId });
    const renewed = await open(desk, {}, intruder.token);
    const silent = { id: vera.contactId, name: null, email: null, phone: null, verified: false };
    for (const visitor of [vera.api, intruder.api, world.as(renewed.data.visitor_token as string)]) {
      expect((await visitor.get(PATH)).data).toEqual(silent);
      expect((await visitor.patch(PATH, {})).data).toEqual(silent);
      expect((await visitor.patch(PATH, { phone: '2' })).data).toEqual({ ...silent, phone: '2' });
      expect((await visitor.patch(PATH, { phone: null })).data).toEqual(silent);
    }
    expect(await stored(desk, vera.contactId)).toMatchObject({ ...VERA, phone: null });
    await vera.api.patch(PATH, { email: ' Vera@Example.ORG' });
    expect((await stored(desk, vera.contactId)).email).toBe('vera@example.org');
    expect((await vera.api.patch(PATH, { email: 'Vera@Example.NET' })).data.email).toBe('vera@example.net');
  });

  it('A visitor without identity proof is not shown the details that agents entered under the external_id', async () => {
    const desk = await world.desk();
    const contact = await desk.owner.api.post('/v1/contacts', { external_id: unique('user'), ...VERA });
    const visitor = await world.visitor(desk, { external_id: contact.data.external_id as string });
    expect(visitor.contactId).toBe(contact.data.id);
    expect((await visitor.api.get(PATH)).data).toMatchObject({ name: null, email: null, phone: null });
  });

  it('A visitor without an external_id is shown all details of its contact', async () => {
    const desk = await world.desk();
    const { name, email, phone } = VERA;
    const visitor = await world.visitor(desk, { name, email });
    await desk.owner.api.patch(`/v1/contacts/${visitor.contactId}`, { phone });
    const renewed = await open(desk, {}, visitor.token);
    const whole = { id: visitor.contactId, ...VERA, verified: false };
    for (const one of [visitor.api, world.as(renewed.data.visitor_token as string)]) {
      expect((await one.get(PATH)).data).toEqual(whole);
      expect((await one.patch(PATH, { name: 'Verena' })).data).toEqual({ ...whole, name: 'Verena' });
      await one.patch(PATH, { name });
    }
  });

  it('A visitor with identity proof is shown all details of its contact', async () => {
    const desk = await world.desk();
    const externalId = unique('user');
    const token = identityToken(externalId, await identitySecretOf(desk));
    const vera = await world.visitor(desk, { external_id: externalId, identity_token: token, ...VERA });
    const whole = { id: vera.contactId, ...VERA, verified: true };
    expect((await vera.api.get(PATH)).data).toEqual(whole);
    expect((await vera.api.patch(PATH, { phone: '2' })).data).toEqual({ ...whole, phone: '2' });
  });

  it('A visitor token is revoked when an agent sets or clears the contact’s external_id', async () => {
    const desk = await world.desk();
    const visitor = await world.visitor(desk, VERA);
    const path = `/v1/contacts/${visitor.contactId}`;
    const externalId = unique('user');
    await desk.owner.api.patch(path, { external_id: externalId });
    expect(await visitor.api.get(PATH)).toMatchObject({ status: 401, error: { code: 'token_revoked' } });
    const intruder = await world.visitor(desk, { external_id: externalId });
    expect(intruder.contactId).toBe(visitor.contactId);
    await desk.owner.api.patch(path, { name: 'Verena' });
    expect((await intruder.api.get(PATH)).status).toBe(200);
    await desk.owner.api.patch(path, { external_id: null });
    expect(await intruder.api.get(PATH)).toMatchObject({ status: 401, error: { code: 'token_revoked' } });
    expect((await open(desk, {}, intruder.token)).data.contact_id).not.toBe(visitor.contactId);
  });
});

/** Rotates the identity secret of the desk's channel. @returns the new secret */
async function identitySecretOf(desk: Desk): Promise<string> {
  const rotated = await desk.owner.api.post(`/v1/channels/${desk.channelId}/rotate-identity-secret`);
  return rotated.data.identity_secret as string;
}

function inSeconds(seconds: number): number {
  return Math.floor(world.app.clock.now().getTime() / 1000) + seconds;
}

/** An identity token as a site's backend signs it for its user. */
function identityToken(subject: string, secret: string, claims: Record<string, unknown> = {}, header = {}): string {
  return jwt({ sub: subject, exp: inSeconds(HOUR), ...claims }, secret, header);
}

describe('Identity proof', () => {
  const EXTERNAL_ID = 'user-42';

  /** A desk whose channel has this verification mode, with its secret and a valid proof. */
  async function site(mode: string): Promise<{ desk: Desk; secret: string; proof: () => Record<string, string> }> {
    const desk = await deskWith({ identity_verification: mode });
    const secret = await identitySecretOf(desk);
    const proof = () => ({ external_id: EXTERNAL_ID, identity_token: identityToken(EXTERNAL_ID, secret) });
    return { desk, secret, proof };
  }

  const BAD: [string, (secret: string, other: string) => string][] = [
    ['signed with another secret', (_secret, other) => identityToken(EXTERNAL_ID, other)],
    ['for another subject', secret => identityToken('user-43', secret)],
    ['without a subject', secret => identityToken(EXTERNAL_ID, secret, { sub: undefined })],
    ['without an expiry', secret => identityToken(EXTERNAL_ID, secret, { exp: undefined })],
    ['already expired', secret => identityToken(EXTERNAL_ID, secret, { exp: inSeconds(-1) })],
    ['expiring more than 24 hours ahead', secret => identityToken(EXTERNAL_ID, secret, { exp: inSeconds(DAY + 60) })],
    ['with an expiry that is a string', secret => identityToken(EXTERNAL_ID, secret, { exp: String(inSeconds(HOUR)) })],
    ['with alg none', secret => identityToken(EXTERNAL_ID, secret, {}, { alg: 'none' })],
    ['with alg HS512', secret => identityToken(EXTERNAL_ID, secret, {}, { alg: 'HS512' })],
    ['not a JWT', () => 'garbage'],
  ];

  it.each(BAD)('An identity token is refused (401) in the modes `optional` and `required`: %s', async (_case, make) => {
    const other = await identitySecretOf(await world.desk());
    for (const mode of ['optional', 'required']) {
      const { desk, secret } = await site(mode);
      const answer = await open(desk, { external_id: EXTERNAL_ID, identity_token: make(secret, other) });
      expect([mode, answer.status, answer.error.code]).toEqual([mode, 401, 'identity_invalid']);
      expect(await contactsOf(desk, EXTERNAL_ID)).toEqual([]);
    }
  });

  it('An identity token may expire up to 24 hours ahead', async () => {
    const { desk, secret } = await site('required');
    const token = identityToken(EXTERNAL_ID, secret, { exp: inSeconds(DAY - 1) });
    expect((await open(desk, { external_id: EXTERNAL_ID, identity_token: token })).data.contact.verified).toBe(true);
  });

  it('An identity token is refused after its secret was rotated', async () => {
    const { desk, proof } = await site('optional');
    const old = proof();
    await identitySecretOf(desk);
    expect((await open(desk, old)).error.code).toBe('identity_invalid');
  });

  it('A session without identity proof is refused in the mode `required` (401 identity_required)', async () => {
    const { desk, proof } = await site('required');
    const { external_id, identity_token } = proof();
    for (const body of [{}, { external_id }, { identity_token }]) {
      expect(await open(desk, body)).toMatchObject({ status: 401, error: { code: 'identity_required' } });
    }
    expect((await open(desk, proof())).data.contact.verified).toBe(true);
  });

  it('A session with a visitor token needs identity proof again in the mode `required`', async () => {
    const { desk, proof } = await site('required');
    const { visitor_token: token, contact_id: contactId } = (await open(desk, proof())).data;
    expect((await open(desk, {}, token as string)).error.code).toBe('identity_required');
    expect((await open(desk, proof(), token as string)).data.contact_id).toBe(contactId);
  });

  it('Identity proof is optional by default', async () => {
    const desk = await world.desk();
    expect((await open(desk, { external_id: EXTERNAL_ID })).data.contact.verified).toBe(false);
    const secret = await identitySecretOf(desk);
    const proven = await open(desk, { external_id: EXTERNAL_ID, identity_token: identityToken(EXTERNAL_ID, secret) });
    expect(proven.data.contact.verified).toBe(true);
  });

  it('An identity token without the external_id it is about is refused (401)', async () => {
    const { desk, proof } = await site('optional');
    const answer = await open(desk, { identity_token: proof().identity_token });
    expect(answer.error.code).toBe('identity_invalid');
  });

  it('An identity token is ignored in the mode `off`', async () => {
    const { desk, proof } = await site('off');
    const first = await open(desk, proof());
    expect(first.data.contact.verified).toBe(false);
    const second = await open(desk, { external_id: EXTERNAL_ID, identity_token: 'garbage' });
    expect(second.data.contact_id).toBe(first.data.contact_id);
  });

  it('The first identity proof for an external_id makes a separate, verified contact; the unverified one stays so', async () => {
    const { desk, proof } = await site('optional');
    const unverified = await world.visitor(desk, { external_id: EXTERNAL_ID, name: 'Mallory' });
    await world.conversation(unverified, 'I am not who I say');
    const verified = await open(desk, { ...proof(), name: 'Vera' });
    expect(verified.data.contact_id).not.toBe(unverified.contactId);
    expect(await stored(desk, unverified.contactId)).toMatchObject({ verified: false, name: 'Mallory' });
    const known = await contactsOf(desk, EXTERNAL_ID);
    expect(known.map(contact => [contact.id, contact.verified])).toEqual([
      [verified.data.contact_id, true],
      [unverified.contactId, false],
    ]);
    const visitor = world.as(verified.data.visitor_token as string);
    expect((await visitor.get('/v1/widget/conversations')).data.items).toEqual([]);
    expect((await open(desk, proof())).data.contact_id).toBe(verified.data.contact_id);
  });

  it('The visitor token of an unverified contact does not lead to the verified one', async () => {
    const { desk, proof } = await site('optional');
    const unverified = await world.visitor(desk, { external_id: EXTERNAL_ID });
    const verified = await open(desk, proof(), unverified.token);
    expect(verified.data.contact_id).not.toBe(unverified.contactId);
    expect(await stored(desk, unverified.contactId)).toMatchObject({ verified: false });
  });

  it('A visitor without identity proof cannot reach the conversations or details of the verified contact', async () => {
    const { desk, proof } = await site('optional');
    const verified = (await open(desk, { ...proof(), name: 'Vera', email: 'vera@example.com' })).data;
    const vera = { api: world.as(verified.visitor_token as string), token: '', contactId: '' };
    await world.conversation(vera, 'My card ends in 1234');
    const intruders = [
      await open(desk, { external_id: EXTERNAL_ID }),
      await open(desk, { external_id: EXTERNAL_ID, email: 'vera@example.com' }),
      await open(desk, { email: 'vera@example.com' }),
      await open(desk, {}, verified.visitor_token as string),
      await open(desk, { external_id: EXTERNAL_ID }, verified.visitor_token as string),
    ];
    for (const session of intruders) {
      expect(session.status).toBe(200);
      expect(session.data.contact_id).not.toBe(verified.contact_id);
      const intruder = world.as(session.data.visitor_token as string);
      expect((await intruder.get('/v1/widget/conversations')).data.items).toEqual([]);
      expect((await intruder.get('/v1/widget/contact')).data).toMatchObject({ name: null, verified: false });
    }
  });
});

describe('A blocked contact', () => {
  const block = (contactId: string) =>
    world.app.database.query('UPDATE contact SET blocked = true WHERE id = $1', [contactId]);

  it('A blocked contact gets no session, by external_id or by visitor token (403)', async () => {
    const desk = await world.desk();
    const externalId = unique('user');
    const visitor = await world.visitor(desk, { external_id: externalId });
    await block(visitor.contactId);
    for (const [body, bearer] of [
      [{ external_id: externalId }, null],
      [{}, visitor.token],
    ] as const) {
      expect(await open(desk, body, bearer)).toMatchObject({ status: 403, error: { code: 'contact_blocked' } });
    }
  });

  it('A blocked contact cannot use its existing session (403)', async () => {
    const visitor = await world.visitor(await world.desk());
    await block(visitor.contactId);
    const answers = [
      await visitor.api.get('/v1/widget/contact'),
      await visitor.api.patch('/v1/widget/contact', { name: 'Mallory' }),
      await visitor.api.post('/v1/widget/conversations', { message: { content: 'Hello?' } }),
    ];
    expect(answers.map(({ status, error }) => [status, error.code])).toEqual(Array(3).fill([403, 'contact_blocked']));
  });

  it('A refused session of a blocked contact changes nothing', async () => {
    const desk = await world.desk();
    const externalId = unique('user');
    const visitor = await world.visitor(desk, { external_id: externalId, name: 'Vera' });
    await block(visitor.contactId);
    const before = await stored(desk, visitor.contactId);
    world.app.clock.advance(60);
    await open(desk, { external_id: externalId, name: 'Mallory' });
    expect(await stored(desk, visitor.contactId)).toEqual(before);
  });
});

describe('Allowed origins of a channel', () => {
  const ORIGINS = ['https://shop.example', 'http://localhost:5173'];

  it('A channel without allowed origins serves pages of every origin', async () => {
    const desk = await world.desk();
    expect((await openFrom('https://anywhere.example', desk.widgetToken)).status).toBe(200);
  });

  it('A channel serves pages of its allowed origins only, by scheme, host and port (403 otherwise)', async () => {
    const { widgetToken } = await deskWith({ allowed_origins: ORIGINS });
    for (const origin of [...ORIGINS, 'HTTPS://SHOP.example']) {
      expect([origin, (await openFrom(origin, widgetToken)).status]).toEqual([origin, 200]);
    }
    const foreign = [
      'https://evil.example',
      'http://shop.example',
      'https://shop.example:8443',
      'https://shop.example.evil.example',
      'https://www.shop.example',
      'null',
    ];
    for (const origin of foreign) {
      const answer = await openFrom(origin, widgetToken);
      expect([origin, answer.status, answer.error.code]).toEqual([origin, 403, 'origin_not_allowed']);
    }
  });

  it('The allowed origins also apply to the widget configuration', async () => {
    const { widgetToken } = await deskWith({ allowed_origins: ORIGINS });
    const path = `/v1/widget/config?widget_token=${widgetToken}`;
    expect((await world.anyone.get(path, { Origin: 'https://shop.example' })).status).toBe(200);
    expect((await world.anyone.get(path, { Origin: 'https://evil.example' })).error.code).toBe('origin_not_allowed');
  });

  it('The allowed origins do not apply to a request without an Origin', async () => {
    const { widgetToken } = await deskWith({ allowed_origins: ORIGINS });
    expect((await open({ widgetToken })).status).toBe(200);
  });
});

describe('The widget configuration', () => {
  const configOf = (desk: { widgetToken: string }) =>
    world.anyone.get(`/v1/widget/config?widget_token=${desk.widgetToken}`);

  it('The widget configuration has the settings of the channel and the limits of the service', async () => {
    const desk = await deskWith({
      name: 'Shop',
      widget_config: {
        title: 'Hej',
        theme: { primary_color: '#ff0000', mode: 'dark' },
        pre_chat_form: { enabled: true, fields: [{ key: 'email', label: 'E-mail', type: 'email', required: true }] },
      },
    });
    const { status, data } = await configOf(desk);
    expect([status, data.channel_name]).toEqual([200, 'Shop']);
    expect(data.widget_config).toMatchObject({
      title: 'Hej',
      theme: { primary_color: '#ff0000', mode: 'dark', position: 'right' },
      pre_chat_form: { enabled: true, fields: [{ key: 'email', label: 'E-mail', type: 'email', required: true }] },
      limits: { max_message_chars: 20_000, max_attachment_bytes: 25 * 1024 * 1024 },
    });
    expect((await open(desk)).data.widget_config).toEqual(data.widget_config);
  });

  it('The widget configuration tells when the desk opens, by the channel’s hours or else the workspace’s', async () => {
    const desk = await world.desk();
    const availability = async () => (await configOf(desk)).data.widget_config.availability as object;
    const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
    const always = Object.fromEntries(days.map(day => [day, [{ from: '00:00', to: '24:00' }]]));
    const tomorrow = new Date(Date.now() + DAY * 1000);
    const later = { [days[tomorrow.getUTCDay()] ?? '']: [{ from: '09:00', to: '10:00' }] };

    expect(await availability()).toMatchObject({ within_business_hours: true, next_open_at: null });
    await desk.owner.api.patch('/v1/workspace', { business_hours: later });
    expect(await availability()).toMatchObject({
      within_business_hours: false,
      next_open_at: `${tomorrow.toISOString().slice(0, 10)}T09:00:00.000000Z`,
    });
    const path = `/v1/channels/${desk.channelId}`;
    await desk.owner.api.patch(path, { business_hours: always });
    expect(await availability()).toMatchObject({ within_business_hours: true, next_open_at: null });
    await desk.owner.api.patch(path, { business_hours: {} });
    expect(await availability()).toMatchObject({ within_business_hours: false, next_open_at: null });
  });

  it('Repeated widget configurations read no local clock, and a change of hours or time zone applies at once', async () => {
    const desk = await deskWith({ business_hours: { mon: [{ from: '09:01', to: '09:02' }] } });
    const path = `/v1/channels/${desk.channelId}`;
    const availability = async () => (await configOf(desk)).data.widget_config.availability as { next_open_at: string };
    const first = await availability();
    const reads = await localClockReads(async () => {
      for (let repeat = 0; repeat < 20; repeat += 1) expect(await availability()).toEqual(first);
    });
    expect(reads).toBe(0);
    await desk.owner.api.patch('/v1/workspace', { timezone: 'Asia/Kathmandu' });
    expect((await availability()).next_open_at).toMatch(/T03:16:00/);
    await desk.owner.api.patch(path, { business_hours: { mon: [{ from: '09:31', to: '09:32' }] } });
    const { next_open_at: opens } = await availability();
    expect(opens).toMatch(/T03:46:00/);
    world.app.clock.advance((Date.parse(opens) - Date.now()) / 1000 + 1);
    expect(await availability()).toMatchObject({ within_business_hours: true, next_open_at: null });
    world.app.clock.advance(60);
    expect((await availability()).next_open_at).toBe(
      `${new Date(Date.parse(opens) + 7 * DAY * 1000).toISOString().slice(0, -1)}000Z`,
    );
  });

  it('Reading the widget configuration creates no contact and reveals no secret or e-mail', async () => {
    const desk = await world.desk();
    const { body } = await configOf(desk);
    expect((await desk.owner.api.get('/v1/contacts')).data.items).toEqual([]);
    expect(JSON.stringify(body)).not.toMatch(/ids_|secret|@/);
  });

  it('The widget configuration may be cached for a minute, per origin', async () => {
    const { headers } = await configOf(await world.desk());
    expect(headers['cache-control']).toBe('public, max-age=60');
    expect(headers.vary).toContain('Origin');
  });

  it('A refused widget configuration may not be cached', async () => {
    const disabled = await deskWith({ status: 'disabled' });
    const answers = [
      await configOf(disabled),
      await configOf({ widgetToken: '' }),
      await world.anyone.get('/v1/widget/config'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 400, 400]);
    for (const { headers } of answers) expect(headers['cache-control']).toBe('no-store');
  });
});

describe('Changing the contact with a visitor token', () => {
  it('A visitor can read and change its contact, and clear fields with null', async () => {
    const desk = await world.desk();
    const visitor = await world.visitor(desk, { name: 'Vera' });
    const inbox = await world.agentSocket(desk.owner);
    const changes = { name: 'Verena', email: 'V@Example.com', phone: '1' };
    const changed = await visitor.api.patch('/v1/widget/contact', {
      ...changes,
      locale: 'fr',
      custom_attributes: { Plan: 1 },
    });
    const expected = { id: visitor.contactId, ...changes, email: 'v@example.com', verified: false };
    expect(changed.data).toEqual(expected);
    expect((await inbox.next('contact.updated')).data).toMatchObject({ id: visitor.contactId, name: 'Verena' });
    expect(await stored(desk, visitor.contactId)).toMatchObject({ locale: 'fr', custom_attributes: { Plan: 1 } });
    await visitor.api.patch('/v1/widget/contact', { phone: null });
    expect((await visitor.api.get('/v1/widget/contact')).data).toEqual({ ...expected, phone: null });
  });

  it('A visitor cannot change the external_id, verification or block of its contact', async () => {
    const desk = await world.desk();
    const visitor = await world.visitor(desk, { external_id: unique('user') });
    const before = await stored(desk, visitor.contactId);
    await visitor.api.patch('/v1/widget/contact', {
      external_id: 'user-42',
      verified: true,
      blocked: true,
      id: desk.channelId,
    });
    expect(await stored(desk, visitor.contactId)).toEqual(before);
  });

  it.each([
    ['name', ''],
    ['email', 'nobody'],
    ['locale', 'not a locale'],
    ['custom_attributes', null],
  ])('A visitor’s change of its contact is refused (400) with the %s %j', async (field, value) => {
    const visitor = await world.visitor(await world.desk());
    const answer = await visitor.api.patch('/v1/widget/contact', { [field]: value });
    expect([answer.status, answer.error.details?.map(fault => fault.field)]).toEqual([400, [field]]);
  });
});
