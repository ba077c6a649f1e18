import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ParsedMail } from 'mailparser';
import { NotificationsConsumer } from '../../src/modules/notifications/notifications.consumer.js';
import { consumed } from '../support/consumed.js';
import { eventually } from '../support/eventually.js';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import { MailServer } from '../support/mail-server.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { World } from '../support/world.js';

const MINUTE = 60;

let server: MailServer;
let world: World;
let desk: Desk;
let ada: Agent;
let ben: Agent;
let visitor: Visitor;
/** Sends for members also after their sessions have expired. */
let key: Caller;
let id: string;
let number: number;
beforeAll(async () => {
  server = await MailServer.start();
  world = await World.start({ SMTP_URL: server.url, DASHBOARD_URL: 'https://desk.example/app' }, { realMail: true });
});
afterAll(async () => {
  await world.stop();
  await server.stop();
});
beforeEach(async () => {
  desk = await world.desk();
  [ada, ben] = [await world.colleague(desk, { name: 'Ada' }), await world.colleague(desk, { name: 'Ben' })];
  key = await world.apiKey(desk);
  await begin();
});
afterEach(() => world.app.clock.reset());

async function begin(): Promise<void> {
  visitor = await world.visitor(desk, { name: 'Vera evil.example' });
  const conversation = await world.conversation(visitor, 'A secret question');
  [id, number] = [conversation.id as string, conversation.number as number];
}
const mention = async (): Promise<Json> => {
  const metadata = { mentions: [ada.memberId] };
  const body = { content: 'A secret note', private: true, metadata, member_id: ben.memberId };
  const note = (await key.post(`/v1/conversations/${id}/messages`, body)).data as Json;
  await consumed(world, NotificationsConsumer);
  return note;
};
const mailed = (count: number): Promise<ParsedMail[]> =>
  eventually(() => {
    const mails = server.mailsTo(ada.email);
    return mails.length >= count ? mails : undefined;
  });
/** Waits until the worker has looked, and all mails have ended. */
const settled = async (): Promise<ParsedMail[]> => {
  await eventually(async () => {
    const [row] = await world.app.database.query<{ waiting: string }>(
      `SELECT (SELECT count(*) FROM notification_mail WHERE due_at <= $2 AND workspace_id = $1)
            + (SELECT count(*) FROM outgoing_mail WHERE status = 'pending' AND workspace_id = $1) AS waiting`,
      [desk.workspaceId, world.app.clock.now()],
    );
    return row?.waiting === '0' ? true : undefined;
  });
  return server.mailsTo(ada.email);
};

describe('The mail of notifications', () => {
  it('An unread notification is mailed after five minutes, with name, number and link, and without any text.', async () => {
    await mention();
    world.app.clock.advance(4 * MINUTE);
    expect(await settled()).toEqual([]);
    world.app.clock.advance(MINUTE + 1);
    const [mail] = await mailed(1);
    expect(mail?.subject).toContain('1 unread notification');
    expect(mail?.text).toContain(`Ben mentioned you in conversation #${number}.`);
    expect(mail?.text).toContain(`https://desk.example/app#conversation=${id}`);
    expect(mail?.text).not.toContain('secret');
    expect(String(mail?.html)).not.toContain('secret');
  });

  it('One mail names all notifications of five minutes, and the next one comes a quarter of an hour later.', async () => {
    await mention();
    world.app.clock.advance(2 * MINUTE);
    await desk.owner.api.post(`/v1/conversations/${id}/assign`, { member_id: ada.memberId });
    await consumed(world, NotificationsConsumer);
    world.app.clock.advance(3 * MINUTE + 1);
    const [first] = await mailed(1);
    expect(first?.text).not.toContain('assigned');
    world.app.clock.advance(10 * MINUTE);
    expect(await settled()).toHaveLength(1);
    await mention();
    world.app.clock.advance(5 * MINUTE);
    const [, second] = await mailed(2);
    expect(second?.text).toContain('assigned conversation');
    world.app.clock.advance(60 * MINUTE);
    expect(await settled()).toHaveLength(2);
    expect(second?.text).toContain('mentioned you');
  });

  it('A member with an open socket after five minutes gets no mail, not even later.', async () => {
    await mention();
    const socket = await world.agentSocket(ada);
    world.app.clock.advance(5 * MINUTE + 1);
    expect(await settled()).toEqual([]);
    await socket.close();
    world.app.clock.advance(60 * MINUTE);
    expect(await settled()).toEqual([]);
  });

  it.each([
    ['was read', () => ada.api.post('/v1/notifications/read', { all: true })],
    ['is of an erased contact', () => desk.owner.api.delete(`/v1/contacts/${visitor.contactId}`)],
    [
      'is of a channel that the member no longer sees',
      async () => {
        const other = await world.channel(desk);
        return desk.owner.api.patch(`/v1/workspace/members/${ada.memberId}`, { channel_ids: [other.id] });
      },
    ],
  ])('A notification that %s is not mailed.', async (_what, end) => {
    await mention();
    expect((await end()).status).toBe(200);
    world.app.clock.advance(5 * MINUTE + 1);
    expect(await settled()).toEqual([]);
  });

  it('A notification whose note was unsent while its mail waited is not mailed.', async () => {
    const note = await mention();
    server.mode = 'busy';
    world.app.clock.advance(5 * MINUTE + 1);
    await eventually(async () => {
      const rows = await world.app.database.query<{ attempts: number }>(
        'SELECT attempts FROM outgoing_mail WHERE workspace_id = $1 AND last_error IS NOT NULL',
        [desk.workspaceId],
      );
      return rows.length > 0 ? true : undefined;
    });
    world.app.clock.reset();
    const unsent = await ben.api.delete(`/v1/conversations/${id}/messages/${String(note.id)}`);
    expect(unsent.status).toBe(200);
    server.mode = 'accepts';
    world.app.clock.advance(60 * MINUTE);
    expect(await settled()).toEqual([]);
  });

  it('Replies are mailed only to members who want that, and names of contacts contain no link.', async () => {
    await ada.api.patch('/v1/workspace/members/me', {
      notification_settings: { replied: { email: true, app: false } },
    });
    for (const agent of [ada, ben]) await agent.api.post(`/v1/conversations/${id}/messages`, { content: 'Hello' });
    await consumed(world, NotificationsConsumer);
    await visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content: 'A secret answer' });
    await consumed(world, NotificationsConsumer);
    expect((await ada.api.get('/v1/notifications')).data).toMatchObject({ items: [], unread_count: 0 });
    world.app.clock.advance(5 * MINUTE + 1);
    const [mail] = await mailed(1);
    expect(mail?.text).toContain(`Vera evil[.]example replied in conversation #${number}.`);
    expect(server.mailsTo(ben.email)).toEqual([]);
  });
});
