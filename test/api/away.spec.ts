import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { giveControl } from '../support/bot-control.js';
import { eventually } from '../support/eventually.js';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import { race } from '../support/race.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { World } from '../support/world.js';

const AWAY = 'We are away. We will answer here tomorrow.';
/** A timetable that is closed now, but not always. */
const CLOSED = { holidays: [{ date: '2020-01-01', hours: [{ from: '09:00', to: '10:00' }] }] };

let world: World;
let desk: Desk;
let visitor: Visitor;
let key: Caller;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  desk = await world.desk();
  await setChannel({ widget_config: { away_message: AWAY } });
  visitor = await world.visitor(desk);
  key = await world.apiKey(desk);
});

const setChannel = (body: object) => desk.owner.api.patch(`/v1/channels/${desk.channelId}`, body);
const start = async (content = 'Hello?'): Promise<string> => (await world.conversation(visitor, content)).id as string;
const write = (id: string, content = 'Anybody?') =>
  visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content });
const act = (id: string, action: string, body: object = {}) =>
  desk.owner.api.post(`/v1/conversations/${id}/${action}`, body);
const read = async (id: string): Promise<Json> => (await key.get(`/v1/conversations/${id}`)).data as Json;
const messages = async (id: string): Promise<Json[]> =>
  ((await visitor.api.get(`/v1/widget/conversations/${id}/messages`)).data as { items: Json[] }).items;
const awayAnswers = async (id: string): Promise<Json[]> =>
  (await messages(id)).filter(({ metadata }) => (metadata as Json).auto === 'away');
const isOnline = async () =>
  ((await world.anyone.get(`/v1/widget/config?widget_token=${desk.widgetToken}`)).data as Json).widget_config
    .availability.online as boolean;
/** Connects a member and waits until its presence is known. */
async function connect(agent: Agent): Promise<void> {
  await world.agentSocket(agent);
  await eventually(async () => (await isOnline()) || undefined);
}

describe('The away answer', () => {
  it("A contact's first message is answered with the away message while no member is online, by the system bot.", async () => {
    const id = await start();
    expect(await messages(id)).toEqual([
      expect.objectContaining({ sender_type: 'contact', content: 'Hello?' }),
      expect.objectContaining({
        sender_type: 'bot',
        content: AWAY,
        content_type: 'text',
        metadata: { auto: 'away' },
        private: false,
      }),
    ]);
  });

  it('An opening is answered once, however often the contact writes.', async () => {
    const id = await start();
    await write(id);
    await write(id);
    expect(await awayAnswers(id)).toHaveLength(1);
  });

  it('Ten first messages at the same time get one away answer.', async () => {
    for (let round = 0; round < 5; round += 1) {
      visitor = await world.visitor(desk);
      await race(10, () => visitor.api.post('/v1/widget/conversations', { message: { content: 'Hello?' } }));
      const [conversation] = ((await visitor.api.get('/v1/widget/conversations')).data as { items: Json[] }).items;
      expect(await awayAnswers(conversation?.id as string)).toHaveLength(1);
    }
  });

  it('The away answer leaves the contact waiting and is no first response, but unread and shown as last message.', async () => {
    const id = await start();
    const [question, answer] = await messages(id);
    expect(await read(id)).toMatchObject({
      waiting_since: question?.created_at,
      first_response_at: null,
      unread: { agents: 1, contact: 1 },
      last_message: { id: answer?.id, preview: AWAY, sender_type: 'bot' },
    });
    const response = await act(id, 'messages', { content: 'Good morning' });
    expect(await read(id)).toMatchObject({ waiting_since: null, first_response_at: response.data.created_at });
  });

  it("The visitor's socket gets the away answer after the visitor's own message.", async () => {
    const page = await world.visitorSocket(visitor);
    await start();
    const second = await page.next('message.created', ({ data }) => data.message.seq === 2);
    expect(page.of('message.created').map(({ data }) => data.message.seq as number)).toEqual([1, 2]);
    expect(second.data.message).toMatchObject({ content: AWAY, metadata: { auto: 'away' } });
  });

  it('A channel without an away message answers nothing.', async () => {
    await setChannel({ widget_config: { away_message: '  ' } });
    expect(await messages(await start())).toHaveLength(1);
  });

  it('A new channel has no away message.', async () => {
    expect((await world.channel(desk)).widget_config.away_message).toBe('');
  });
});

describe('Somebody is there', () => {
  it('Nobody is told that the desk is away while a member is online within business hours.', async () => {
    await connect(desk.owner);
    expect(await messages(await start())).toHaveLength(1);
  });

  it('Outside business hours the away message is sent although a member is online.', async () => {
    await connect(desk.owner);
    await setChannel({ business_hours: CLOSED });
    expect(await awayAnswers(await start())).toHaveLength(1);
  });

  it("The workspace's hours count where the channel has none.", async () => {
    await connect(desk.owner);
    await desk.owner.api.patch('/v1/workspace', { business_hours: CLOSED });
    expect(await awayAnswers(await start())).toHaveLength(1);
  });

  it('A connected member whose availability is not online does not count.', async () => {
    await connect(desk.owner);
    await desk.owner.api.patch('/v1/workspace/members/me', { availability: 'away' });
    await eventually(async () => !(await isOnline()) || undefined);
    expect(await awayAnswers(await start())).toHaveLength(1);
  });

  it('A connected member who does not see the channel does not count.', async () => {
    const elsewhere = await world.channel(desk);
    const member = await world.colleague(desk, { channel_ids: [elsewhere.id as string] });
    await world.agentSocket(member);
    const other = await world.visitor({ widgetToken: elsewhere.widget_token as string });
    const path = `/v1/widget/config?widget_token=${elsewhere.widget_token as string}`;
    await eventually(async () => (await world.anyone.get(path)).data.widget_config.availability.online || undefined);
    expect(other.contactId).toBeDefined();
    expect(await awayAnswers(await start())).toHaveLength(1);
  });
});

describe('Each opening', () => {
  it('A conversation that the contact reopens is answered again, once.', async () => {
    const id = await start();
    await act(id, 'resolve');
    await write(id, 'One more thing');
    await write(id, 'And another');
    expect((await awayAnswers(id)).map(({ seq }) => seq as number)).toHaveLength(2);
  });

  it("A conversation that an agent reopens is answered at the contact's next message.", async () => {
    const id = await start();
    await act(id, 'resolve');
    await act(id, 'reopen');
    await act(id, 'resolve');
    world.app.clock.advance(31);
    await act(id, 'reopen');
    world.app.clock.reset();
    expect(await awayAnswers(id)).toHaveLength(1);
    await write(id);
    expect(await awayAnswers(id)).toHaveLength(2);
    await write(id);
    expect(await awayAnswers(id)).toHaveLength(2);
  });

  it("A conversation that an agent begins is answered at the contact's first message.", async () => {
    const begun = await desk.owner.api.post('/v1/conversations', {
      contact_id: visitor.contactId,
      channel_id: desk.channelId,
      message: { content: 'Your parcel is here.' },
    });
    const id = begun.data.id as string;
    expect(await awayAnswers(id)).toEqual([]);
    await write(id, 'Where?');
    expect(await awayAnswers(id)).toHaveLength(1);
  });
});

describe('After a bot', () => {
  /** A conversation that a bot serves. The contact has written to it. */
  async function served(): Promise<{ id: string; botId: string }> {
    await setChannel({ widget_config: { away_message: '' } });
    const id = await start();
    const botId = (await desk.owner.api.post('/v1/bots', { name: 'Robo' })).data.id as string;
    await giveControl(world, id, botId);
    await setChannel({ widget_config: { away_message: AWAY } });
    return { id, botId };
  }

  it('A bot in control is not interrupted; the away message follows its handoff.', async () => {
    const { id } = await served();
    await write(id, 'I need a person');
    expect(await awayAnswers(id)).toEqual([]);
    await act(id, 'handoff', { reason: 'asks_for_a_person' });
    await write(id, 'Anybody?');
    expect(await awayAnswers(id)).toHaveLength(1);
    const { items } = (await key.get(`/v1/conversations/${id}/messages`)).data as { items: Json[] };
    expect(items.map(({ metadata, content }) => (metadata as Json).event ?? content)).toEqual([
      'Hello?',
      'I need a person',
      'handed_over',
      AWAY,
      'Anybody?',
    ]);
    expect((await read(id)).waiting_since).not.toBeNull();
  });

  it('The conversations of a deleted bot get the away message.', async () => {
    const { id, botId } = await served();
    await desk.owner.api.delete(`/v1/bots/${botId}`);
    await eventually(async () => (await awayAnswers(id)).length === 1 || undefined);
  });

  it('An agent who takes over from the bot is there: no away message is sent.', async () => {
    const { id } = await served();
    await act(id, 'take');
    await write(id);
    expect(await awayAnswers(id)).toEqual([]);
  });
});
