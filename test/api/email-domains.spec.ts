import { beforeEach, describe, expect, it } from '@jest/globals';
import { normaliseEmail } from '../../src/kernel/email.js';
import { desk, owner, world } from '../support/desk-for-each.js';
import { eventually } from '../support/eventually.js';
import type { Caller } from '../support/http.js';
import { accept, invited } from '../support/invites.js';
import { race } from '../support/race.js';
import { PASSWORD, unique } from '../support/world.js';

/** Returns spellings of one address, the stored form first. */
function spellings(): string[] {
  const name = unique('ada');
  const tail = unique('x').toLowerCase();
  return [
    `${name}@xn--bcher-kva.${tail}.example`,
    `${name}@bücher.${tail}.example`,
    `${name}@BÜCHER.${tail}.Example`,
    `${name.toUpperCase()}@XN--BCHER-KVA.${tail}.example`,
    ` ${name}@bÜcher.${tail}.EXAMPLE `,
  ];
}

describe('E-mail addresses with a non-ASCII domain', () => {
  let key: Caller;
  let emails: string[];
  let stored: string;
  beforeEach(async () => {
    key = await world.apiKey(desk);
    emails = spellings();
    [stored = ''] = emails;
  });

  const register = (email: string) =>
    world.anyone.post('/v1/auth/register', { workspace_name: unique('W'), name: 'Ada', email, password: PASSWORD });

  it('All spellings of a non-ASCII domain register one user and sign that user in', async () => {
    for (const email of emails) {
      const session = await register(email);
      expect([session.status, session.data.member.email]).toEqual([201, stored]);
    }
    const users = await world.app.database.query('SELECT email FROM user_account WHERE email LIKE $1', [
      `${stored.split('@')[0]}@%`,
    ]);
    expect(users).toEqual([{ email: stored }]);
    for (const email of emails) {
      const session = await world.anyone.post('/v1/auth/login', { email, password: PASSWORD });
      expect([email, session.status, session.data.workspaces?.length]).toEqual([email, 200, emails.length]);
    }
  });

  it('Concurrent registrations with all spellings of an e-mail address create one user', async () => {
    const answers = await race(emails.length, n => register(emails[n] ?? ''));
    for (const { status } of answers) expect([201, 409]).toContain(status);
    const users = await world.app.database.query('SELECT 1 FROM user_account WHERE email LIKE $1', [
      `${stored.split('@')[0]}@%`,
    ]);
    expect(users).toHaveLength(1);
  });

  it('All spellings of an e-mail address mean one member, one pending invite and one SSO user', async () => {
    const [first = '', ...others] = [...emails].reverse();
    const made = await key.post('/v1/workspace/members', { email: first, name: 'Ada' });
    expect([made.status, made.data.email]).toEqual([201, stored]);
    for (const email of others) {
      const again = await key.post('/v1/workspace/members', { email, name: 'Ada' });
      expect([again.status, again.error.code]).toEqual([409, 'member_exists']);
    }
    for (const email of emails) {
      const token = await key.post('/v1/auth/agent-token', { email });
      expect([token.status, token.data.member?.id]).toEqual([200, made.data.id]);
      expect((await key.post('/v1/auth/sso/ticket', { email })).status).toBe(200);
    }
    const ids = [];
    for (const email of emails) ids.push((await owner.post('/v1/workspace/invites', { email })).data.id as string);
    expect(new Set(ids).size).toBe(1);
  });

  it('Reset links and invites go to the stored form of an e-mail address', async () => {
    await register(stored);
    const [, unicode = ''] = emails;
    await world.anyone.post('/v1/auth/password/forgot', { email: unicode });
    const mail = await eventually(() => world.app.mails.find(({ to }) => to === stored));
    expect(mail.text).toContain('#reset=');
    const invite = await invited(desk, { email: unicode });
    expect(invite.email).toBe(stored);
    expect((await accept(world, invite.token)).data.member.email).toBe(stored);
  });

  it("A contact's e-mail address is stored in one form by every route and found by every spelling", async () => {
    for (const email of emails) {
      const made = await owner.post('/v1/contacts', { email });
      expect([made.status, made.data.email]).toEqual([201, stored]);
      const edited = await owner.patch(`/v1/contacts/${made.data.id}`, { email });
      expect(edited.data.email).toBe(stored);
      const session = await world.anyone.post('/v1/widget/session', { widget_token: desk.widgetToken, email });
      expect(session.data.contact.email).toBe(stored);
    }
    for (const email of emails) {
      const found = await owner.get(`/v1/contacts?query=${encodeURIComponent(email.trim())}`);
      expect([email, found.data.items.length]).toEqual([email, emails.length * 2]);
    }
  });
});

describe('Stored form of e-mail addresses', () => {
  it.each([
    ['Ada@Example.COM', 'ada@example.com'],
    ['ada@straße.example', 'ada@xn--strae-oqa.example'],
    ['ada@例え.テスト', 'ada@xn--r8jz45g.xn--zckzah'],
    ['ada@ПОЧТА.рф', 'ada@xn--80a1acny.xn--p1ai'],
    ['ada@1.2.3.4', 'ada@1.2.3.4'],
    ['ada@0x7f.1', 'ada@0x7f.1'],
    [`ada@${'ü'.repeat(60)}.example`, null],
    ['ada@xn--a.example', null],
    ['ada@xn--a-.example', null],
    ['ada@xn--zzzzzz.example', null],
    ['ada@bücher.example.', null],
    ['ada@bücher。example', null],
    ['ada@bu\u0308cher.example', null],
    ['ada@ｂücher.example', null],
    ['ada@bü\u00adcher.example', null],
    ['ada@b%C3%BCcher.example', null],
    ['adä@bücher.example', null],
  ])('The e-mail address %j is stored as %j', (written, stored) => {
    expect(normaliseEmail(written)).toBe(stored);
  });

  it('Normalising a stored e-mail address again changes nothing', () => {
    for (const email of spellings()) {
      const once = normaliseEmail(email);
      expect(normaliseEmail(once ?? '')).toBe(once);
    }
  });
});
