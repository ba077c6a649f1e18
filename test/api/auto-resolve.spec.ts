import { beforeEach, describe, expect, it } from '@jest/globals';
import { IdleTimerWorker } from '../../src/modules/auto-resolve/idle-timer.worker.js';
import { ChannelSweepWorker } from '../../src/modules/conversations/channel-sweep.worker.js';
import { desk, world } from '../support/desk-for-each.js';
import { eventually } from '../support/eventually.js';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import { race } from '../support/race.js';
import { readTimeline } from '../support/timeline.js';
import type { Visitor } from '../support/world.js';
import { World } from '../support/world.js';

const HOUR = 3_600;
/** A sweep begins once no older transaction is open in the whole PostgreSQL cluster. */
const SWEPT_MS = 75_000;

let visitor: Visitor;
let id: string;
/** Its key reads also after sessions have expired. */
let key: Caller;
beforeEach(async () => {
  key = await world.apiKey(desk);
});

const setHours = (hours: number | null, channelId = desk.channelId) =>
  key.patch(`/v1/channels/${channelId}`, { auto_resolve_hours: hours });
const begin = async () => {
  visitor = await world.visitor(desk);
  id = (await world.conversation(visitor)).id as string;
};
const answer = (body: object = {}) =>
  key.post(`/v1/conversations/${id}/messages`, { content: 'Anything else?', member_id: desk.owner.memberId, ...body });
const read = async (conversationId = id): Promise<Json> =>
  (await key.get(`/v1/conversations/${conversationId}`)).data as Json;
const timers = async (): Promise<Json[]> =>
  world.app.database.query('SELECT due_at FROM idle_timer WHERE workspace_id = $1 AND conversation_id = $2', [
    desk.workspaceId,
    id,
  ]);
/** Lets every instance look, as it does once a second. */
const look = async (instance = world) => {
  await instance.app.app.get(ChannelSweepWorker).runUntilDone();
  await instance.app.app.get(IdleTimerWorker).runUntilDone();
};
/** Waits until the changed setting has reached the conversations that the channel had before. */
const swept = () =>
  eventually(async () => {
    await look();
    const sql = 'SELECT FROM channel_sweep WHERE channel_id = $1';
    return (await world.app.database.query(sql, [desk.channelId])).length === 0 || undefined;
  }, SWEPT_MS);
const pass = async (hours: number, seconds = 0) => {
  world.app.clock.advance(hours * HOUR + seconds);
  await look();
};

describe('A channel that resolves idle conversations', () => {
  it('An answered conversation is resolved when nothing public happened for the hours of its channel.', async () => {
    await setHours(24);
    await begin();
    await answer();
    await pass(24, -5);
    expect((await read()).status).toBe('open');
    world.app.clock.advance(10);
    await eventually(async () => (await read()).status === 'resolved' || undefined, 2_500);
    expect((await read()).resolved_by).toEqual({ type: 'system', id: null });
    const session = await visitor.api.post('/v1/widget/session', { widget_token: desk.widgetToken });
    const again = world.as(session.data.visitor_token);
    expect(await readTimeline(again, `/v1/widget/conversations/${id}`)).toEqual([{ event: 'resolved' }]);
    expect(await timers()).toEqual([]);
  });

  it('A conversation whose contact waits is not resolved, and is idle only after the answer.', async () => {
    await setHours(1);
    await begin();
    await pass(30);
    expect((await read()).status).toBe('open');
    await answer();
    await pass(1, 1);
    expect((await read()).status).toBe('resolved');
  });

  it('Each public message of either side postpones the end; notes and timeline entries do not.', async () => {
    await setHours(24);
    await begin();
    await answer();
    await world.app.database.query(
      `UPDATE conversation SET last_public_message = last_public_message || jsonb_build_object('created_at', now() - interval '20 hours')
       WHERE workspace_id = $1 AND id = $2`,
      [desk.workspaceId, id],
    );
    await answer({ private: true });
    await key.post(`/v1/conversations/${id}/assign`, { member_id: desk.owner.memberId });
    await world.app.database.query(`UPDATE idle_timer SET due_at = now() WHERE conversation_id = $1`, [id]);
    await look();
    expect((await read()).status).toBe('open');
    const [postponed] = await timers();
    expect(Math.round((postponed?.due_at - Date.now()) / (HOUR * 1_000))).toBe(4);
    await answer();
    await pass(4, 1);
    expect((await read()).status).toBe('open');
    await pass(20);
    expect((await read()).status).toBe('resolved');
  });

  it('A message costs no timer: it is set once, and stays as it is.', async () => {
    await setHours(24);
    await swept();
    await begin();
    const before = await timers();
    expect(before).toHaveLength(1);
    await answer();
    await visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content: 'Hm.' });
    expect(await timers()).toEqual(before);
  });

  it('A snoozed or resolved conversation has no timer; one that is woken or reopened has a new one.', async () => {
    await setHours(24);
    await begin();
    await key.post(`/v1/conversations/${id}/snooze`);
    expect(await timers()).toEqual([]);
    await visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content: 'Hello?' });
    expect(await timers()).toHaveLength(1);
    await key.post(`/v1/conversations/${id}/resolve`);
    expect(await timers()).toEqual([]);
    await key.post(`/v1/conversations/${id}/reopen`);
    expect(await timers()).toHaveLength(1);
  });
});

describe('A change of the hours', () => {
  it('Conversations that are open when the hours are set are resolved as well, also those that are idle already.', async () => {
    await begin();
    await answer();
    expect(await timers()).toEqual([]);
    world.app.clock.advance(5 * HOUR);
    await setHours(6);
    await eventually(async () => (await timers()).length === 1 || undefined, SWEPT_MS);
    expect((await read()).status).toBe('open');
    await setHours(4);
    await eventually(async () => (await read()).status === 'resolved' || undefined, SWEPT_MS);
  });

  it('Without hours no conversation is resolved, and its timer goes.', async () => {
    await setHours(4);
    await begin();
    await answer();
    await setHours(null);
    await pass(5);
    expect([(await read()).status, await timers()]).toEqual(['open', []]);
  });

  it('A conversation that is opened while the hours are set gets a timer.', async () => {
    for (let seed = 0; seed < 10; seed += 1) {
      const channel = await world.channel(desk, { name: `Race ${seed}` });
      const visitors = await race(4, () => world.visitor({ widgetToken: channel.widget_token }));
      const [, ...opened] = await Promise.all([
        setHours(1, channel.id),
        ...visitors.map(one => world.conversation(one as Visitor)),
      ]);
      const armed = () =>
        world.app.database.query(
          `SELECT conversation_id FROM idle_timer JOIN conversation ON conversation.id = conversation_id
           WHERE channel_id = $1`,
          [channel.id],
        );
      await eventually(async () => (await armed()).length === opened.length || undefined, SWEPT_MS);
    }
  });

  it('A sweep visits every conversation of a large channel, in slices.', async () => {
    await begin();
    await world.app.database.query(
      `INSERT INTO conversation (workspace_id, id, number, channel_id, contact_id, status, control, single, last_activity_at)
       SELECT workspace_id, gen_random_uuid(), number + n, channel_id, contact_id, 'open', 'human', false, now()
       FROM conversation, generate_series(1, 1200) AS n WHERE id = $1`,
      [id],
    );
    await setHours(8_760); // longer than what other tests move the clock by
    const count = async () =>
      (
        await world.app.database.query<{ n: number }>(
          'SELECT count(*)::int AS n FROM idle_timer WHERE workspace_id = $1',
          [desk.workspaceId],
        )
      )[0]?.n;
    await eventually(async () => (await count()) === 1_201 || undefined, SWEPT_MS);
  });
});

describe('Idle timers of two instances', () => {
  it('A due conversation is resolved once, however many instances look at it.', async () => {
    const second = await World.start({}, { database: world.app.database });
    await setHours(1);
    await begin();
    await answer();
    world.app.clock.advance(2 * HOUR);
    second.app.clock.advance(2 * HOUR);
    await Promise.all([look(), look(second), look(), look(second)]);
    await eventually(async () => (await read()).status === 'resolved' || undefined, 2_500);
    expect(await readTimeline(key, `/v1/conversations/${id}`)).toEqual([{ event: 'resolved' }]);
    await second.stop();
  });

  it('A message that races with the end either postpones it or reopens the conversation.', async () => {
    await setHours(1);
    for (let seed = 0; seed < 20; seed += 1) {
      await begin();
      await answer();
      world.app.clock.advance(2 * HOUR);
      const login = await visitor.api.post('/v1/widget/session', { widget_token: desk.widgetToken });
      const api = world.as(login.data.visitor_token);
      const [sent] = await Promise.all([
        api.post(`/v1/widget/conversations/${id}/messages`, { content: 'Wait!' }),
        look(),
      ]);
      expect(sent.status).toBe(201);
      expect(sent.data.conversation_id).toBe(id);
      expect([seed, (await read()).status]).toEqual([seed, 'open']);
      world.app.clock.reset();
    }
  });
});
