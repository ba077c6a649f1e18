import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FirstResponseRetentionJob } from '../../src/modules/availability/first-response-retention.job.js';
import { typicalReplySeconds } from '../../src/modules/availability/reply-time.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { MailServer } from '../support/mail-server.js';
import type { Desk } from '../support/world.js';
import { World } from '../support/world.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let world: World;
let desk: Desk;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  desk = await world.desk();
});
afterEach(() => world.app.clock.reset());

const setChannel = (body: object) => desk.owner.api.patch(`/v1/channels/${desk.channelId}`, body);
const configOf = async (of: World = world, { widgetToken } = desk): Promise<Json> =>
  (await of.anyone.get(`/v1/widget/config?widget_token=${widgetToken}`)).data.widget_config as Json;
const typicalReply = async () => (await configOf()).availability.typical_reply_seconds as number | null;

/** A contact asks, and an agent answers. The wait is written into the row: the database's clock does not move. */
async function answerAfter(seconds: number, { at = new Date() }: { at?: Date } = {}): Promise<string> {
  const { id } = await world.conversation(await world.visitor(desk));
  await desk.owner.api.post(`/v1/conversations/${id as string}/messages`, { content: 'Hello.' });
  await world.app.database.query(
    `UPDATE first_response SET answered_at = $2, asked_at = $2::timestamptz - $3 * interval '1 second'
     WHERE conversation_id = $1`,
    [id, at, seconds],
  );
  return id as string;
}

/** Moves the clock to when reply times are computed again. */
async function untilComputed(): Promise<void> {
  world.app.clock.advance(10 * MINUTE + 1);
  const now = world.app.clock.now();
  await eventually(async () => {
    const [row] = await world.app.database.query<{ due_at: Date }>(
      'SELECT due_at FROM reply_time WHERE channel_id = $1',
      [desk.channelId],
    );
    return row === undefined || row.due_at > now || undefined;
  });
}

describe('The typical reply time', () => {
  it('A channel with fewer than ten answers has none.', async () => {
    for (let answer = 0; answer < 9; answer += 1) await answerAfter(30);
    await untilComputed();
    expect(await typicalReply()).toBeNull();
  });

  it('It is the median of the first answers of seven days, rounded up.', async () => {
    for (const seconds of [10, 20, 30, 100, 100, 100, 100, 3_000, 4_000, 5_000]) await answerAfter(seconds);
    for (let old = 0; old < 5; old += 1) await answerAfter(2 * HOUR, { at: new Date(Date.now() - 8 * DAY * 1_000) });
    await untilComputed();
    expect(await typicalReply()).toBe(5 * MINUTE);
    const session = await world.anyone.post('/v1/widget/session', { widget_token: desk.widgetToken });
    expect(session.data.widget_config.availability.typical_reply_seconds).toBe(5 * MINUTE);
  });

  it('Only the time within business hours counts, and answers outside of them are left out.', async () => {
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
    await setChannel({
      business_hours: Object.fromEntries(days.map(day => [day, [{ from: '09:00', to: '17:00' }]])),
    });
    const [today] = new Date(Date.now() - DAY * 1_000).toISOString().split('T');
    for (let answer = 0; answer < 10; answer += 1) await answerAfter(16 * HOUR, { at: new Date(`${today}T09:20:00Z`) });
    for (let answer = 0; answer < 20; answer += 1) await answerAfter(MINUTE, { at: new Date(`${today}T04:00:00Z`) });
    await untilComputed();
    // from 17:20, it was open for 20 minutes
    expect(await typicalReply()).toBe(30 * MINUTE);
  });

  it('Notes and answers of bots are no first answers.', async () => {
    const bot = (await desk.owner.api.post('/v1/bots', { name: 'Robo' })).data.id as string;
    const key = await world.apiKey(desk);
    const { id } = await world.conversation(await world.visitor(desk));
    const path = `/v1/conversations/${id as string}/messages`;
    await key.post(path, { content: 'I am a robot', bot_id: bot });
    await desk.owner.api.post(path, { content: 'a note', private: true });
    const rows = await world.app.database.query('SELECT FROM first_response WHERE conversation_id = $1', [id]);
    expect(rows).toEqual([]);
  });

  it('A first answer records how long the contact waited, once.', async () => {
    const { id } = await world.conversation(await world.visitor(desk));
    const path = `/v1/conversations/${id as string}`;
    const waitingSince = (await desk.owner.api.get(path)).data.waiting_since as string;
    const answer = await desk.owner.api.post(`${path}/messages`, { content: 'Hello.' });
    await desk.owner.api.post(`${path}/messages`, { content: 'Are you there?' });
    const rows = await world.app.database.query<{ asked_at: Date; answered_at: Date }>(
      'SELECT asked_at, answered_at FROM first_response WHERE conversation_id = $1',
      [id],
    );
    expect(rows).toEqual([
      { asked_at: new Date(waitingSince), answered_at: new Date(answer.data.created_at as string) },
    ]);
  });

  it('Answers are deleted when they no longer count, and a channel without answers has no reply time.', async () => {
    for (let answer = 0; answer < 10; answer += 1) await answerAfter(30);
    await untilComputed();
    expect(await typicalReply()).toBe(MINUTE);
    world.app.clock.advance(8 * DAY);
    await world.app.app.get(FirstResponseRetentionJob).run();
    expect(
      await world.app.database.query('SELECT FROM first_response WHERE channel_id = $1', [desk.channelId]),
    ).toEqual([]);
    await untilComputed();
    expect(await typicalReply()).toBeNull();
  });

  it.each([
    [59, 1],
    [60, 1],
    [61, 5],
    [301, 15],
    [901, 30],
    [1_801, 60],
    [3_601, 120],
    [7_201, 240],
    [14_401, 480],
    [28_801, 1_440],
    [900_000, 1_440],
  ])('A median of %d seconds is told as %d minutes.', (seconds, minutes) => {
    expect(typicalReplySeconds(Array.from({ length: 10 }, () => seconds))).toBe(minutes * MINUTE);
  });
});

describe('The features that a widget is told', () => {
  const features = async (of: World = world) => (await configOf(of)).features as Json;

  it('Ratings follow the setting of the channel.', async () => {
    expect((await features()).csat).toBe(false);
    await setChannel({ csat_enabled: true });
    expect((await features()).csat).toBe(true);
    await setChannel({ widget_config: { features: { csat: false } } });
    expect((await features()).csat).toBe(false);
  });

  it('Attachments are off without a store, and transcripts without a mail server, whatever the channel says.', async () => {
    expect(await features()).toMatchObject({ attachments: true, transcript: false, emoji: true });
    const without = await World.start({ FILES_DIR: '/dev/null/files' }, { database: world.app.database });
    const config = await without.anyone.get(`/v1/widget/config?widget_token=${desk.widgetToken}`);
    expect(config.data.widget_config.features.attachments).toBe(false);
    await without.stop();
    const channel = (await desk.owner.api.get(`/v1/channels/${desk.channelId}`)).data as Json;
    expect(channel.widget_config.features).toMatchObject({ attachments: true, transcript: true });
  });

  it('Transcripts follow the setting of the channel where there is a mail server.', async () => {
    const server = await MailServer.start();
    const mailing = await World.start({ SMTP_URL: server.url }, { database: world.app.database });
    try {
      expect((await features(mailing)).transcript).toBe(true);
      await setChannel({ widget_config: { features: { transcript: false } } });
      expect((await features(mailing)).transcript).toBe(false);
    } finally {
      await mailing.stop();
      await server.stop();
    }
  });
});
