import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ParsedMail } from 'mailparser';
import { startPageOf } from '../../src/modules/follow-ups/follow-up.js';
import { FollowUpConsumer } from '../../src/modules/follow-ups/follow-up.consumer.js';
import { FollowUpWorker } from '../../src/modules/follow-ups/follow-up.worker.js';
import { MailWorker } from '../../src/platform/mail/mail.worker.js';
import { giveControl } from '../support/bot-control.js';
import { desk, server, world } from '../support/desk-with-mail.js';
import { consumed } from '../support/consumed.js';
import { eventually } from '../support/eventually.js';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import { race } from '../support/race.js';
import type { Visitor } from '../support/world.js';
import { jwt } from '../support/tokens.js';
import { unique, World } from '../support/world.js';

const MINUTE = 60;
const WAIT = 30;

let visitor: Visitor;
let id: string;
let email: string;
let key: Caller;
beforeEach(async () => {
  key = await world.apiKey(desk);
  await setChannel({ followup_email_minutes: WAIT });
  email = `${unique('vera')}@example.com`;
  visitor = await world.visitor(desk, { email });
  id = (await world.conversation(visitor, 'Where is my parcel?')).id as string;
});

const setChannel = (body: object) => desk.owner.api.patch(`/v1/channels/${desk.channelId}`, body);
/** By a key, whose access does not end when the clock moves. */
const answer = (content = 'On its way.', body: object = {}) =>
  key.post(`/v1/conversations/${id}/messages`, { content, member_id: desk.owner.memberId, ...body });
const mails = () => server.mailsTo(email);
const state = async (): Promise<{ due_at: Date | null; mailed_seq: number } | undefined> =>
  (
    await world.app.database.query<{ due_at: Date | null; mailed_seq: number }>(
      'SELECT due_at, mailed_seq FROM follow_up WHERE conversation_id = $1',
      [id],
    )
  )[0];
/** Lets the consumer arm the follow-up of the last answer. */
async function armed(): Promise<void> {
  await consumed(world, FollowUpConsumer);
  expect((await state())?.due_at).toBeInstanceOf(Date);
}
/** Moves the clock past the wait, and waits until the worker has looked. */
async function pass(minutes = WAIT + 1): Promise<void> {
  world.app.clock.advance(minutes * MINUTE);
  await looked();
}
/** Lets the worker look at what is due. */
const looked = () =>
  eventually(async () => {
    await world.app.app.get(FollowUpWorker).runUntilDone();
    const due = (await state())?.due_at ?? null;
    return due === null || due > world.app.clock.now() || undefined;
  });
const mailed = async (count = 1) => {
  await world.app.app.get(MailWorker).runUntilDone();
  return eventually(() => (mails().length >= count ? mails() : undefined));
};
/** The queued mails have ended, one way or the other. */
const settled = () =>
  eventually(async () => {
    await world.app.app.get(MailWorker).runUntilDone();
    const sql = `SELECT FROM outgoing_mail WHERE subject_id = $1 AND status = 'pending'`;
    return (await world.app.database.query(sql, [id])).length === 0 || undefined;
  });
/** The mail server has put the mail off. */
const attempted = () =>
  eventually(async () => {
    const sql = 'SELECT FROM outgoing_mail WHERE subject_id = $1 AND last_error IS NOT NULL';
    return (await world.app.database.query(sql, [id])).length === 1 || undefined;
  });
async function expectNoMail(): Promise<void> {
  await settled();
  expect(mails()).toEqual([]);
}
const readUpTo = (seq: number) => visitor.api.post(`/v1/widget/conversations/${id}/read`, { seq });
const unsubscribeUrl = (mail: ParsedMail) => /<(.+)>/.exec(String(headerOf(mail, 'list-unsubscribe')))?.[1] ?? '';
const headerOf = (mail: ParsedMail, name: string) =>
  mail.headerLines.find(({ key: header }) => header === name)?.line.replace(/\r\n\s+/g, ' ');
/** The page of the link, on the service under test. */
const openPage = (url: string, init: RequestInit = {}) => {
  const { pathname, search } = new URL(url);
  return fetch(`${world.app.url}${pathname}${search}`, init);
};
const contact = async (): Promise<Json> => (await key.get(`/v1/contacts/${visitor.contactId}`)).data as Json;

describe('A follow-up', () => {
  it("An agent's unread answer goes to the contact by mail after the wait, once, with the agent's words.", async () => {
    await answer('On its way.\nIt arrives on Friday.');
    await armed();
    await pass(WAIT - 1);
    await expectNoMail();
    await pass(2);
    const [mail] = await mailed();
    expect(mail?.subject).toMatch(/^New message from Desk/);
    expect(mail?.text).toContain('> On its way.\n> It arrives on Friday.');
    expect(mail?.text).toContain('Olivia Owner');
    expect(mail?.text).not.toContain('Where is my parcel?');
    expect(mail?.html).toContain('On its way.');
    expect(mail?.html).not.toMatch(/<script|<img/);
    await pass(10 * WAIT);
    await settled();
    expect(mails()).toHaveLength(1);
  });

  it('The other unread answers go with the first, and none of them goes again with a later one.', async () => {
    await answer('First');
    await armed();
    world.app.clock.advance((WAIT - 1) * MINUTE);
    await answer('Second');
    await pass(2);
    const [mail] = await mailed();
    expect(mail?.subject).toMatch(/^2 new messages/);
    await answer('Third');
    await armed();
    await pass();
    const [, later] = await mailed(2);
    expect(later?.text).toContain('Third');
    expect(later?.text).not.toMatch(/First|Second/);
  });

  it('What the contact has read is not mailed.', async () => {
    const read = await answer('First');
    await answer('Second');
    await readUpTo(read.data.seq as number);
    await armed();
    await pass();
    const [mail] = await mailed();
    expect(mail?.text).toContain('Second');
    expect(mail?.text).not.toContain('First');
  });

  it('Nothing is mailed when all is read in time, or when the answer is unsent.', async () => {
    const sent = await answer();
    await armed();
    await readUpTo(sent.data.seq as number);
    await pass();
    await expectNoMail();
    world.app.clock.reset();
    const unsent = await answer('My password is hunter2');
    await armed();
    await desk.owner.api.delete(`/v1/conversations/${id}/messages/${unsent.data.id as string}`);
    await pass();
    await expectNoMail();
  });

  it('Notes, answers of bots, the away message and timeline entries start no follow-up.', async () => {
    await setChannel({ widget_config: { away_message: 'We are away.' } });
    visitor = await world.visitor(desk, { email });
    id = (await world.conversation(visitor)).id as string;
    await answer('a note', { private: true });
    const bot = (await desk.owner.api.post('/v1/bots', { name: 'Robo' })).data;
    await giveControl(world, id, bot.id as string);
    expect((await answer('I am a robot', { member_id: undefined, bot_id: bot.id })).status).toBe(201);
    await desk.owner.api.post(`/v1/conversations/${id}/take`);
    const other = (await world.conversation(await world.visitor(desk, { email: `${unique('x')}@example.com` }))).id;
    await desk.owner.api.post(`/v1/conversations/${other as string}/messages`, { content: 'Hello' });
    await eventually(async () => {
      const sql = 'SELECT FROM follow_up WHERE conversation_id = $1';
      return (await world.app.database.query(sql, [other])).length === 1 || undefined;
    });
    expect(await state()).toBeUndefined();
  });

  it('While a socket of the contact is open nothing is mailed; after it has closed, it is.', async () => {
    const page = await world.visitorSocket(visitor);
    await answer();
    await armed();
    await pass();
    await expectNoMail();
    expect((await state())?.due_at?.getTime()).toBeGreaterThan(world.app.clock.now().getTime());
    page.ws.close();
    await eventually(async () => (await contact()).presence === 'offline' || undefined, 25_000);
    await pass(6);
    expect(await mailed()).toHaveLength(1);
  });

  it("The contact's present address counts, also while the mail waits for the mail server.", async () => {
    server.mode = 'busy';
    await answer();
    await armed();
    await pass();
    await attempted();
    const old = email;
    email = `${unique('new')}@example.com`;
    await key.patch(`/v1/contacts/${visitor.contactId}`, { email });
    server.mode = 'accepts';
    await pass(3);
    expect(await mailed()).toHaveLength(1);
    expect(server.mailsTo(old)).toEqual([]);
  });

  it('A channel without the setting mails nothing, and neither does one that gives it up meanwhile.', async () => {
    await answer();
    await armed();
    await setChannel({ followup_email_minutes: null });
    await pass();
    await expectNoMail();
    await answer('Another');
    await pass();
    await expectNoMail();
  });

  it.each([0, 10_081, 1.5, '30'])('The wait %j is refused (400).', async minutes => {
    expect((await setChannel({ followup_email_minutes: minutes })).status).toBe(400);
  });

  it('A worker that runs ten times at once mails each answer once.', async () => {
    for (let round = 0; round < 10; round += 1) {
      email = `${unique('vera')}@example.com`;
      visitor = await world.visitor(desk, { email });
      id = (await world.conversation(visitor)).id as string;
      await answer();
      await armed();
      world.app.clock.advance((WAIT + 1) * MINUTE);
      const worker = world.app.app.get(FollowUpWorker);
      await race(10, () => worker.runUntilDone());
      await looked();
      await mailed();
      await settled();
      expect(mails()).toHaveLength(1);
      world.app.clock.reset();
    }
  });

  it('Answers that are sent while mails are queued are each mailed once.', async () => {
    for (let round = 0; round < 10; round += 1) {
      email = `${unique('vera')}@example.com`;
      visitor = await world.visitor(desk, { email });
      id = (await world.conversation(visitor)).id as string;
      await answer('number 0.');
      await armed();
      world.app.clock.advance((WAIT + 1) * MINUTE);
      const worker = world.app.app.get(FollowUpWorker);
      await race<unknown>(6, index => (index % 2 === 0 ? worker.runUntilDone() : answer(`number ${index}.`)));
      await eventually(async () => {
        await pass();
        await settled();
        const text = mails()
          .map(mail => mail.text)
          .join();
        return [0, 1, 3, 5].every(index => text.includes(`number ${index}.`)) || undefined;
      }, 15_000);
      // the jump of the clock may end the lease of a mail that is being sent; it then goes again, as the same message
      const sent = new Map(mails().map(mail => [mail.messageId, mail.text ?? '']));
      expect([...[...sent.values()].join().matchAll(/number \d\./g)]).toHaveLength(4);
      world.app.clock.reset();
    }
  });
});

describe('Who gets no follow-up', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['of a resolved conversation', () => key.post(`/v1/conversations/${id}/resolve`)],
    ['to a blocked contact', () => key.post(`/v1/contacts/${visitor.contactId}/block`)],
    ['to an erased contact', () => key.delete(`/v1/contacts/${visitor.contactId}`)],
    ['to a contact without an address', () => key.patch(`/v1/contacts/${visitor.contactId}`, { email: null })],
    ['to an unsubscribed address', () => key.patch(`/v1/contacts/${visitor.contactId}`, { email_unsubscribed: true })],
  ])('No follow-up %s is sent, also if it is queued already.', async (_who, end) => {
    server.mode = 'busy';
    await answer();
    await armed();
    await pass();
    await attempted();
    await end();
    server.mode = 'accepts';
    await pass(3);
    await expectNoMail();
    world.app.clock.reset();
  });
});

describe('The mail', () => {
  async function followUp(): Promise<ParsedMail> {
    await answer();
    await armed();
    await pass();
    const [mail] = await mailed();
    if (!mail) throw new Error('no mail');
    return mail;
  }

  it('Replies go to the reply address of the channel.', async () => {
    await setChannel({ reply_email: 'Help@Example.com' });
    const mail = await followUp();
    expect(mail.replyTo?.text).toBe('help@example.com');
    expect(mail.text).toContain('You can reply to this mail.');
  });

  it('Without a reply address the mail says that nobody reads replies.', async () => {
    const mail = await followUp();
    expect(mail.replyTo).toBeUndefined();
    expect(mail.text).toContain('Nobody reads replies to this mail.');
  });

  it('The mail has one-click headers, no link to a page that is not known, and no session.', async () => {
    const mail = await followUp();
    expect(headerOf(mail, 'list-unsubscribe-post')).toMatch(/List-Unsubscribe=One-Click/);
    const url = unsubscribeUrl(mail);
    expect(url).toMatch(/^http:\/\/.+\/unsubscribe\?token=uns_[\w-]{43}$/);
    const links = [...String(mail.html).matchAll(/href="([^"]+)"/g)].map(([, link]) => link);
    expect(links).toEqual([url]);
  });

  it.each([
    ['a page of a site that the channel names', 'https://shop.example/cart', ['https://shop.example'], true],
    ['a page of another site', 'https://evil.example/cart', ['https://shop.example'], false],
    ['a page of any site, where the channel names none', 'https://shop.example/cart', [], false],
    ['a script', 'javascript:alert(1)', ['null'], false],
    ['no URL', 'shop.example', ['https://shop.example'], false],
  ])('`startPageOf` decides on %s.', (_what, url, allowedOrigins, linked) => {
    expect(startPageOf({ context: { page: { url } } }, { allowedOrigins })).toBe(linked ? url : null);
  });

  it('`startPageOf` finds no page in a conversation without one.', () => {
    for (const conversation of [{}, { context: null }, { context: { page: null } }])
      expect(startPageOf(conversation, { allowedOrigins: ['https://shop.example'] })).toBeNull();
  });

  it('A file is named.', async () => {
    const { data } = await answer();
    await world.app.database.query(`UPDATE message SET attachments = '[{"name": "label.pdf"}]' WHERE id = $1`, [
      data.id,
    ]);
    await armed();
    await pass();
    const [mail] = await mailed();
    expect(mail?.text).toContain('[File: label.pdf]');
  });
});

describe('Unsubscribing', () => {
  async function link(): Promise<string> {
    await answer();
    await armed();
    await pass();
    const [mail] = await mailed();
    world.app.clock.reset();
    return unsubscribeUrl(mail as ParsedMail);
  }
  const oneClick = (url: string) =>
    openPage(url, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) });

  it('The one-click request of a mail client unsubscribes the address, and the agents see it.', async () => {
    const url = await link();
    const inbox = await world.agentSocket(desk.owner);
    expect((await oneClick(url)).status).toBe(200);
    expect((await contact()).email_unsubscribed).toBe(true);
    const frame = await inbox.next('contact.updated');
    expect(frame.data).toMatchObject({ id: visitor.contactId, email_unsubscribed: true });
    expect((await oneClick(url)).status).toBe(200);
    await answer('Another');
    await armed();
    await pass();
    await settled();
    expect(mails()).toHaveLength(1);
  });

  it('Opening the link changes nothing; its button unsubscribes, and the button after it subscribes again.', async () => {
    const url = await link();
    const press = async (page: string) => {
      const action = /action="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
      return (await openPage(new URL(action, url).href, { method: 'POST' })).text();
    };
    const shown = await (await openPage(url)).text();
    expect(shown).toContain('<button>Unsubscribe</button>');
    expect((await contact()).email_unsubscribed).toBe(false);
    const after = await press(shown);
    expect((await contact()).email_unsubscribed).toBe(true);
    expect(after).toContain('<button>Subscribe again</button>');
    expect(await (await openPage(url)).text()).toContain('<button>Subscribe again</button>');
    expect(await press(after)).toContain('<button>Unsubscribe</button>');
    expect((await contact()).email_unsubscribed).toBe(false);
  });

  it('The page is plain escaped HTML with a strict policy, and is cached nowhere.', async () => {
    await desk.owner.api.patch('/v1/workspace', { name: '<script>alert(1)</script>' });
    const page = await openPage(await link());
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    const html = await page.text();
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toContain('<script');
  });

  it('An unknown link is a page too (404), and guessing is limited (429).', async () => {
    const url = `${world.app.url}/unsubscribe?token=uns_unknown`;
    for (const method of ['GET', 'POST']) {
      const page = await openPage(url, { method });
      expect([page.status, (await page.text()).includes('Unknown link')]).toEqual([404, true]);
    }
    expect((await openPage(`${world.app.url}/unsubscribe`)).status).toBe(404);
    const limited = await World.start({ RATE_LIMITS: 'unsubscribe=2/60' }, { database: world.app.database });
    try {
      const statuses: number[] = [];
      for (let guess = 0; guess < 4; guess += 1)
        statuses.push((await fetch(`${limited.app.url}/unsubscribe?token=uns_${guess}`)).status);
      expect(statuses.slice(0, 2)).toEqual([404, 404]);
      expect(statuses.at(-1)).toBe(429);
    } finally {
      await limited.stop();
    }
  });

  it('The address is unsubscribed, not the contact: another contact with it is too, and another workspace is not.', async () => {
    await oneClick(await link());
    const second = await world.visitor(desk, { email });
    expect((await key.get(`/v1/contacts/${second.contactId}`)).data.email_unsubscribed).toBe(true);
    await key.patch(`/v1/contacts/${visitor.contactId}`, { email: `${unique('new')}@example.com` });
    expect((await contact()).email_unsubscribed).toBe(false);
    const elsewhere = await world.desk();
    const stranger = await world.visitor(elsewhere, { email });
    const seen = await elsewhere.owner.api.get(`/v1/contacts/${stranger.contactId}`);
    expect(seen.data.email_unsubscribed).toBe(false);
  });

  it('An admin and a key undo it; an agent cannot (403), and an address is needed (422).', async () => {
    await oneClick(await link());
    const [admin, agent] = [await world.colleague(desk, { role: 'admin' }), await world.colleague(desk)];
    const set = (caller: Caller, email_unsubscribed: boolean) =>
      caller.patch(`/v1/contacts/${visitor.contactId}`, { email_unsubscribed });
    expect((await set(agent.api, false)).status).toBe(403);
    expect((await set(admin.api, false)).data.email_unsubscribed).toBe(false);
    expect((await set(key, true)).data.email_unsubscribed).toBe(true);
    expect((await contact()).email_unsubscribed).toBe(true);
    await key.patch(`/v1/contacts/${visitor.contactId}`, { email: null });
    expect((await set(key, false)).error?.code).toBe('email_missing');
  });

  it('A verified contact undoes it itself; an unverified one cannot (403).', async () => {
    await oneClick(await link());
    const body = { email_unsubscribed: false };
    expect((await visitor.api.patch('/v1/widget/contact', body)).status).toBe(403);
    const rotated = await desk.owner.api.post(`/v1/channels/${desk.channelId}/rotate-identity-secret`);
    const sub = unique('customer');
    const proof = jwt({ sub, exp: Math.floor(Date.now() / 1_000) + 3_600 }, rotated.data.identity_secret as string);
    visitor = await world.visitor(desk, { external_id: sub, identity_token: proof, email });
    expect((await contact()).email_unsubscribed).toBe(true);
    expect((await visitor.api.patch('/v1/widget/contact', body)).status).toBe(200);
    expect((await contact()).email_unsubscribed).toBe(false);
  });

  it('Erasing the contact keeps the hash of the address, and nothing in clear.', async () => {
    await oneClick(await link());
    await key.delete(`/v1/contacts/${visitor.contactId}`);
    const again = await world.visitor(desk, { email });
    expect((await key.get(`/v1/contacts/${again.contactId}`)).data.email_unsubscribed).toBe(true);
    const rows = await world.app.database.query('SELECT * FROM unsubscribed_address WHERE workspace_id = $1', [
      desk.workspaceId,
    ]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(email);
  });

  it('The access log has no token of the link.', async () => {
    const lines: string[] = [];
    const logging = await World.start(
      { LOG_LEVEL: 'debug' },
      { database: world.app.database, log: { write: line => void lines.push(line) } },
    );
    try {
      await fetch(`${logging.app.url}/unsubscribe?token=uns_secret`);
      await eventually(() => lines.some(line => line.includes('/unsubscribe')) || undefined);
      expect(lines.join()).not.toContain('uns_secret');
    } finally {
      await logging.stop();
    }
  });
});
