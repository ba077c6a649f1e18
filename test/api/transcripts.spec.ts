import { beforeEach, describe, expect, it } from '@jest/globals';
import { inertText } from '../../src/platform/mail/mail-text.js';
import { desk, server, world } from '../support/desk-with-mail.js';
import { eventually } from '../support/eventually.js';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import { race } from '../support/race.js';
import { storeMessages } from '../support/stored-messages.js';
import type { Visitor } from '../support/world.js';
import { unique, World } from '../support/world.js';

const NOTE = 'She is always late with her payments';
const HOSTILE = '<script>alert("x")</script> <a href="https://evil.example">& click</a>';

let visitor: Visitor;
let id: string;
let key: Caller;
let email: string;
beforeEach(async () => {
  key = await world.apiKey(desk);
  email = `${unique('vera')}@example.com`;
  visitor = await world.visitor(desk, { email, name: 'Vera', locale: 'de' });
  id = (await world.conversation(visitor, 'Where is my parcel?')).id as string;
});

const answer = (body: object = {}) =>
  desk.owner.api.post(`/v1/conversations/${id}/messages`, { content: 'On its way.', ...body });
const get = (format: string, caller: Caller = desk.owner.api, prefix = '/v1') =>
  caller.get(`${prefix}/conversations/${id}/transcript?format=${format}`);
const getAsVisitor = (format: string) => get(format, visitor.api, '/v1/widget');
const mailToContact = () => visitor.api.post(`/v1/widget/conversations/${id}/transcript`);
const mailTo = (address: string, caller: Caller = desk.owner.api) =>
  caller.post(`/v1/conversations/${id}/transcript`, { email: address });
const mailed = (to: string) => eventually(() => server.mailsTo(to)[0]);
const refusal = ({ status, error }: { status: number; error?: { code: string } }) => [status, error?.code];
const number = async () => (await key.get(`/v1/conversations/${id}`)).data.number as number;
const queued = () =>
  world.app.database.query<{ status: string }>('SELECT status FROM outgoing_mail WHERE subject_id = $1', [id]);

describe('A transcript', () => {
  it('An agent gets the conversation as a file, with private notes and timeline entries, in each format.', async () => {
    await answer();
    await answer({ content: NOTE, private: true });
    await desk.owner.api.post(`/v1/conversations/${id}/resolve`);
    const { data } = await get('text');
    expect(data).toMatchObject({ format: 'text', filename: `conversation-${await number()}.txt` });
    const text = data.content as string;
    const order = ['Where is my parcel?', 'On its way.', NOTE, 'resolved'].map(part => text.indexOf(part));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order).not.toContain(-1);
    expect(text).toContain('· Vera\n');
    expect(text).toContain('· Olivia Owner (private note)\n');
    expect(text).toContain('Times are in UTC.');
    const json = JSON.parse((await get('json')).data.content as string) as Json;
    expect(json).toMatchObject({ number: await number(), complete: true, timezone: 'UTC' });
    expect(json.messages).toHaveLength(4);
    expect((await desk.owner.api.get(`/v1/conversations/${id}/transcript`)).data.format).toBe('json');
  });

  it("A visitor's transcript has no private note, no private timeline entry and no name of the contact.", async () => {
    await answer();
    await answer({ content: NOTE, private: true });
    await desk.owner.api.post(`/v1/conversations/${id}/snooze`);
    for (const format of ['json', 'text', 'html']) {
      const content = (await getAsVisitor(format)).data.content as string;
      expect(content).toContain('Where is my parcel?');
      expect(content).toContain('On its way.');
      for (const hidden of [NOTE, 'snoozed', 'Vera', 'private note']) expect(content).not.toContain(hidden);
    }
  });

  it('HTML is escaped and has no link and no script.', async () => {
    await answer({ content: HOSTILE });
    const html = (await get('html')).data.content as string;
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toMatch(/<script|<a /);
    expect(html).toContain("default-src 'none'");
  });

  it("Times are in the workspace's time zone and language for agents, and in the contact's for visitors.", async () => {
    await desk.owner.api.patch('/v1/workspace', { timezone: 'Asia/Kathmandu', locale: 'en-GB' });
    await key.patch(`/v1/contacts/${visitor.contactId}`, { timezone: 'America/St_Johns' });
    const expected = (locale: string, timeZone: string, at: string) =>
      new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(new Date(at));
    const [message] = ((await visitor.api.get(`/v1/widget/conversations/${id}/messages`)).data as { items: Json[] })
      .items;
    const at = message?.created_at as string;
    expect((await get('text')).data.content).toContain(expected('en-GB', 'Asia/Kathmandu', at));
    expect((await getAsVisitor('text')).data.content).toContain(expected('de', 'America/St_Johns', at));
  });

  it('An unsent message is in no transcript.', async () => {
    const sent = await answer({ content: 'My password is hunter2' });
    await desk.owner.api.delete(`/v1/conversations/${id}/messages/${sent.data.id as string}`);
    expect((await get('text')).data.content).not.toContain('hunter2');
  });

  it('Files are named.', async () => {
    await world.app.database.query(
      `UPDATE message SET attachments = '[{"name": "parcel.jpg"}]' WHERE conversation_id = $1`,
      [id],
    );
    expect((await get('text')).data.content).toContain('Where is my parcel?\n[File: parcel.jpg]');
  });

  it('A long conversation is cut to its newest 1,000 messages, and the transcript says so.', async () => {
    await storeMessages(world.app.database, id, 1_199);
    const { content } = (await get('json')).data as { content: string };
    const { complete, messages } = JSON.parse(content) as { complete: boolean; messages: { content: string }[] };
    expect([complete, messages.length]).toEqual([false, 1_000]);
    expect([messages[0]?.content, messages.at(-1)?.content]).toEqual(['message 201', 'message 1200']);
    expect((await get('text')).data.content).toContain('Earlier messages are left out.');
  });

  it('A transcript has at most a million characters.', async () => {
    await storeMessages(world.app.database, id, 59, 'x'.repeat(20_000));
    const { content } = (await get('json')).data as { content: string };
    expect(JSON.parse(content)).toMatchObject({ complete: false });
    expect((JSON.parse(content) as { messages: object[] }).messages).toHaveLength(50);
  });

  it("Another visitor's transcript and another channel's are not found (404), an unknown format is refused (400).", async () => {
    const elsewhere = await world.channel(desk);
    const member = await world.colleague(desk, { channel_ids: [elsewhere.id as string] });
    expect((await get('text', member.api)).status).toBe(404);
    expect((await get('text', (await world.visitor(desk)).api, '/v1/widget')).status).toBe(404);
    expect((await get('pdf')).status).toBe(400);
  });
});

describe('A mailed transcript', () => {
  it("A visitor's transcript goes to the contact's address, as text and HTML, without notes.", async () => {
    await answer();
    await answer({ content: NOTE, private: true });
    const accepted = await mailToContact();
    expect([accepted.status, accepted.data]).toEqual([200, { conversation_id: id, mailed: true }]);
    const mail = await mailed(email);
    expect(mail.subject).toContain(`Conversation #${await number()}`);
    for (const body of [mail.text, mail.html as string]) {
      expect(body).toContain('Where is my parcel?');
      expect(body).toContain('On its way.');
      expect(body).not.toContain(NOTE);
    }
  });

  it('No link in a mailed transcript is live.', async () => {
    await visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content: `${HOSTILE} www.evil.example` });
    await answer();
    await mailToContact();
    const mail = await mailed(email);
    expect(mail.html).not.toMatch(/<script|<a /);
    for (const body of [mail.text, mail.html as string]) expect(body).not.toMatch(/evil\.example|https:\/\/evil/);
  });

  it('A visitor gets no transcript by mail before a person has answered (409); a bot is no person.', async () => {
    const bot = (await desk.owner.api.post('/v1/bots', { name: 'Robo' })).data;
    await key.post(`/v1/conversations/${id}/messages`, { content: 'I am a robot', bot_id: bot.id });
    expect(refusal(await mailToContact())).toEqual([409, 'transcript_not_ready']);
    await answer();
    expect((await mailToContact()).status).toBe(200);
  });

  it('A contact without an address gets none (422 email_missing).', async () => {
    await answer();
    await visitor.api.patch('/v1/widget/contact', { email: null });
    expect(refusal(await mailToContact())).toEqual([422, 'email_missing']);
  });

  it('A channel without the feature mails no visitor a transcript (403), but shows it.', async () => {
    await answer();
    await desk.owner.api.patch(`/v1/channels/${desk.channelId}`, {
      widget_config: { features: { transcript: false } },
    });
    expect(refusal(await mailToContact())).toEqual([403, 'feature_disabled']);
    expect((await getAsVisitor('text')).status).toBe(200);
  });

  it('Without a mail server nothing is mailed (422 mail_disabled), and the transcript is still shown.', async () => {
    await answer();
    const silent = await World.start({}, { database: world.app.database });
    try {
      const post = (token: string, path: string, body?: object) => silent.as(token).post(path, body);
      const asVisitor = await post(visitor.token, `/v1/widget/conversations/${id}/transcript`);
      const asAgent = await post(desk.owner.token, `/v1/conversations/${id}/transcript`, { email });
      expect([refusal(asVisitor), refusal(asAgent)]).toEqual([
        [422, 'mail_disabled'],
        [422, 'mail_disabled'],
      ]);
      const shown = await silent.as(visitor.token).get(`/v1/widget/conversations/${id}/transcript`);
      expect(shown.status).toBe(200);
    } finally {
      await silent.stop();
    }
  });

  it('A request that is repeated with its Idempotency-Key, at once or later, mails one transcript.', async () => {
    await answer();
    const header = { 'Idempotency-Key': unique('retry') };
    const address = `${unique('boss')}@example.com`;
    const mail = () => desk.owner.api.post(`/v1/conversations/${id}/transcript`, { email: address }, header);
    const statuses = (await race(4, mail)).map(({ status }) => status);
    expect(statuses.filter(status => status !== 200 && status !== 409)).toEqual([]);
    expect((await mail()).status).toBe(200);
    await visitor.api.post(`/v1/widget/conversations/${id}/transcript`, undefined, header);
    const again = await visitor.api.post(`/v1/widget/conversations/${id}/transcript`, undefined, header);
    expect(again.headers['idempotency-replayed']).toBe('true');
    await mailed(address);
    await mailed(email);
    expect(await queued()).toHaveLength(2);
  });

  it("An agent's mail to any address has what the visitor sees, and an entry in the audit log without the address.", async () => {
    const address = `${unique('boss')}@example.com`;
    await answer({ content: NOTE, private: true });
    expect((await mailTo(address)).status).toBe(200);
    expect((await mailed(address)).text).not.toContain(NOTE);
    const entry = await eventually(async () => {
      const log = await desk.owner.api.get('/v1/audit-log?action=transcript.mailed');
      return (log.data as { items: Json[] }).items[0];
    });
    expect(entry).toMatchObject({
      actor: { type: 'member', id: desk.owner.memberId },
      subject: { type: 'conversation', id },
      details: { id, to_contact: false },
    });
    expect(JSON.stringify(entry)).not.toContain(address);
  });

  it('Two transcripts of a conversation to two addresses are both sent.', async () => {
    const addresses = [`${unique('one')}@example.com`, `${unique('two')}@example.com`];
    await Promise.all(addresses.map(address => mailTo(address, key)));
    for (const address of addresses) expect((await mailed(address)).subject).toContain('Conversation');
  });

  it('An address that is none is refused (400), and an unknown conversation is not found (404).', async () => {
    expect((await mailTo('not an address')).status).toBe(400);
    id = desk.channelId;
    expect((await mailTo(email)).status).toBe(404);
  });

  it('A transcript that waits for the mail server is not sent after the contact was erased.', async () => {
    await answer();
    server.mode = 'busy';
    await mailToContact();
    await eventually(async () => ((await queued())[0]?.status === 'pending' ? true : undefined));
    await key.delete(`/v1/contacts/${visitor.contactId}`);
    server.mode = 'accepts';
    world.app.clock.advance(120);
    await eventually(async () => ((await queued())[0]?.status === 'cancelled' ? true : undefined));
    expect(server.mailsTo(email)).toEqual([]);
    expect(refusal(await mailTo(email, key))).toEqual([410, 'conversation_erased']);
  });
});

describe('The rates of mailed transcripts', () => {
  async function limitedTo(rates: string, work: (limited: World) => Promise<void>): Promise<void> {
    await answer();
    const limited = await World.start({ SMTP_URL: server.url, RATE_LIMITS: rates }, { database: world.app.database });
    await work(limited).finally(() => limited.stop());
  }
  const path = () => `/v1/conversations/${id}/transcript`;

  it('A contact gets three an hour.', async () => {
    await limitedTo('transcript_address=100/60', async limited => {
      const api = limited.as(visitor.token);
      const statuses: number[] = [];
      for (let turn = 0; turn < 4; turn += 1) {
        statuses.push((await api.post(`/v1/widget/conversations/${id}/transcript`)).status);
      }
      expect(statuses).toEqual([200, 200, 200, 429]);
    });
  });

  it('An address gets three an hour from all callers together, and ten a day.', async () => {
    await limitedTo('transcript_member=100/60', async limited => {
      const [agent, backend] = [limited.as(desk.owner.token), limited.as(key.token)];
      for (const caller of [agent, backend, agent]) expect((await caller.post(path(), { email })).status).toBe(200);
      expect((await backend.post(path(), { email })).status).toBe(429);
      expect((await backend.post(path(), { email: `${unique('other')}@example.com` })).status).toBe(200);
    });
    await limitedTo('transcript_address=100/60', async limited => {
      const api = limited.as(desk.owner.token);
      for (let turn = 0; turn < 10; turn += 1) expect((await api.post(path(), { email })).status).toBe(200);
      expect((await api.post(path(), { email })).status).toBe(429);
    });
  });

  it('A member sends a limited number, and so does a workspace.', async () => {
    await limitedTo('transcript_member=2/3600,transcript_workspace=3/3600', async limited => {
      const [agent, backend] = [limited.as(desk.owner.token), limited.as(key.token)];
      const send = async (caller: Caller) =>
        (await caller.post(path(), { email: `${unique('to')}@example.com` })).status;
      expect([await send(agent), await send(agent), await send(agent)]).toEqual([200, 200, 429]);
      expect([await send(backend), await send(backend)]).toEqual([200, 429]);
    });
  });
});

describe('inertText', () => {
  it('`inertText` keeps lines, spaces and emoji, and breaks links and direction marks.', () => {
    const family = '\u{1F468}\u200d\u{1F469}\u200d\u{1F467}';
    expect(inertText(`one  two\r\n${family}\nsee https://evil.example\u202e!`)).toBe(
      `one  two\n${family}\nsee https[:]//evil[.]example!`,
    );
  });
});
