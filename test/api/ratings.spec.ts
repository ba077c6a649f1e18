import { beforeEach, describe, expect, it } from '@jest/globals';
import { giveControl } from '../support/bot-control.js';
import { desk, world } from '../support/desk-for-each.js';
import { eventually } from '../support/eventually.js';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import { race, RACE_SEEDS } from '../support/race.js';
import type { Agent, Visitor } from '../support/world.js';
import { World } from '../support/world.js';

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

let visitor: Visitor;
let id: string;
let key: Caller;
beforeEach(async () => {
  await setChannel({ csat_enabled: true });
  visitor = await world.visitor(desk);
  key = await world.apiKey(desk);
  id = await answered();
});

const setChannel = (body: object) => desk.owner.api.patch(`/v1/channels/${desk.channelId}`, body);
const act = (action: string, body: object = {}, agent: Agent = desk.owner) =>
  agent.api.post(`/v1/conversations/${id}/${action}`, body);
const rate = (body: object = { score: 4 }) => visitor.api.post(`/v1/widget/conversations/${id}/rating`, body);
const read = async (): Promise<Json> => (await key.get(`/v1/conversations/${id}`)).data as Json;
const refusal = ({ status, error }: { status: number; error?: { code: string } }) => [status, error?.code];
const ratedEntries = async (): Promise<Json[]> => {
  const { items } = (await key.get(`/v1/conversations/${id}/messages`)).data as { items: Json[] };
  return items.filter(({ metadata }) => (metadata as Json).event === 'rated');
};
const ratedMember = async (): Promise<string | null> => {
  const rows = await world.app.database.query<{ csat_member_id: string | null }>(
    'SELECT csat_member_id FROM conversation WHERE id = $1',
    [id],
  );
  return rows[0]?.csat_member_id ?? null;
};

/** A conversation in which an agent has answered. */
async function answered(): Promise<string> {
  const { id: made } = await world.conversation(visitor, 'Where is my parcel?');
  await desk.owner.api.post(`/v1/conversations/${made as string}/messages`, { content: 'On its way.' });
  return made as string;
}

describe('A rating', () => {
  it('A visitor rates a resolved conversation; the agents and the visitor see it.', async () => {
    await act('resolve');
    const rated = await rate({ score: 4, comment: ' Quick and friendly. ' });
    expect(rated.status).toBe(200);
    expect(rated.data.csat).toMatchObject({ score: 4, comment: 'Quick and friendly.' });
    expect((await read()).csat).toEqual(rated.data.csat);
  });

  it('A rating is a private timeline entry by the contact, and frames tell agents and the visitor.', async () => {
    await act('resolve');
    const [inbox, page] = [await world.agentSocket(desk.owner), await world.visitorSocket(visitor)];
    await rate({ score: 2, comment: 'Too slow' });
    expect(await ratedEntries()).toEqual([
      expect.objectContaining({
        private: true,
        metadata: expect.objectContaining({
          event: 'rated',
          score: 2,
          comment: 'Too slow',
          actor: { type: 'contact', id: visitor.contactId },
        }),
      }),
    ]);
    for (const socket of [inbox, page]) {
      const { data } = await socket.next('conversation.updated', frame => frame.data.changes.csat !== undefined);
      expect(data.changes.csat.to).toMatchObject({ score: 2, comment: 'Too slow' });
    }
    expect(page.of('message.created')).toEqual([]);
  });

  it('The last rating counts.', async () => {
    await act('resolve');
    await rate({ score: 1, comment: 'Bad' });
    await rate({ score: 5 });
    expect((await read()).csat).toMatchObject({ score: 5, comment: null });
    expect(await ratedEntries()).toHaveLength(2);
  });

  it.each([{ score: 0 }, { score: 6 }, { score: 4.5 }, { score: '4' }, {}, { score: 3, comment: 'x'.repeat(2_001) }])(
    'The rating %j is refused (400).',
    async body => {
      await act('resolve');
      expect((await rate(body)).status).toBe(400);
      expect((await read()).csat).toBeNull();
    },
  );

  it("A visitor cannot rate another visitor's conversation (404).", async () => {
    await act('resolve');
    visitor = await world.visitor(desk);
    expect((await rate()).status).toBe(404);
  });

  it('The eleventh rating within an hour is refused (429).', async () => {
    const limited = await World.start({ RATE_LIMITS: 'rating=10/3600' }, { database: world.app.database });
    try {
      await act('resolve');
      const api = limited.as(visitor.token);
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 11; attempt += 1) {
        statuses.push((await api.post(`/v1/widget/conversations/${id}/rating`, { score: 3 })).status);
      }
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    } finally {
      await limited.stop();
    }
  });
});

describe('A closed rating', () => {
  it('An unresolved conversation cannot be rated (409 rating_closed).', async () => {
    expect(refusal(await rate())).toEqual([409, 'rating_closed']);
  });

  it('A conversation of a channel without csat_enabled cannot be rated.', async () => {
    await act('resolve');
    await setChannel({ csat_enabled: false });
    expect(refusal(await rate())).toEqual([409, 'rating_closed']);
  });

  it('A conversation can be rated for seven days after its resolve.', async () => {
    await act('resolve');
    world.app.clock.advance(7 * DAY - MINUTE);
    visitor.api = world.as((await renewed()).token);
    expect((await rate()).status).toBe(200);
    world.app.clock.advance(2 * MINUTE);
    expect(refusal(await rate())).toEqual([409, 'rating_closed']);
  });

  it('A conversation that nobody has answered cannot be rated; notes and the away answer are no answers.', async () => {
    await setChannel({ widget_config: { away_message: 'We are away.' } });
    visitor = await world.visitor(desk);
    id = (await world.conversation(visitor)).id as string;
    await act('messages', { content: 'a note', private: true });
    await act('resolve');
    expect(refusal(await rate())).toEqual([409, 'rating_closed']);
  });

  it('A conversation that only a bot has answered can be rated.', async () => {
    visitor = await world.visitor(desk);
    id = (await world.conversation(visitor)).id as string;
    const bot = (await desk.owner.api.post('/v1/bots', { name: 'Robo' })).data;
    await giveControl(world, id, bot.id as string);
    await key.post(`/v1/conversations/${id}/messages`, { content: 'I am a robot', bot_id: bot.id });
    await act('resolve');
    expect((await rate()).status).toBe(200);
  });

  it('Reopening closes the rating and keeps the score; the next resolve opens it anew.', async () => {
    await act('resolve');
    await rate({ score: 2 });
    await act('reopen');
    expect(refusal(await rate({ score: 5 }))).toEqual([409, 'rating_closed']);
    expect((await read()).csat).toMatchObject({ score: 2 });
    await act('resolve');
    expect((await read()).csat).toMatchObject({ score: 2 });
    expect((await rate({ score: 5 })).data.csat).toMatchObject({ score: 5 });
  });

  it('A resolve that was rated is not taken back: reopening counts.', async () => {
    await act('resolve');
    await rate();
    expect((await act('reopen')).data).toMatchObject({ status: 'open', reopened_count: 1 });
  });

  it('A rating and a reopening at the same time: a rated conversation was reopened, one that was taken back has no rating.', async () => {
    for (let seed = 0; seed < RACE_SEEDS; seed += 1) {
      visitor = await world.visitor(desk);
      id = await answered();
      await act('resolve');
      const delays = [seed % 3, (seed * 7) % 4];
      const [rated] = await race(2, async index => {
        await new Promise(resolve => setTimeout(resolve, delays[index]));
        return index === 0 ? rate() : act('reopen');
      });
      const { status, csat, reopened_count } = await read();
      expect(status).toBe('open');
      if (rated?.status === 200) expect([csat?.score, reopened_count]).toEqual([4, 1]);
      else expect([rated?.status, csat, reopened_count]).toEqual([409, null, 0]);
    }
  });
});

describe('The rated member', () => {
  it('A rating counts for the assignee at the resolve, not for the member who resolved or has it now.', async () => {
    const [assignee, other] = [await world.colleague(desk), await world.colleague(desk)];
    await act('assign', { member_id: assignee.memberId });
    await act('resolve', {}, other);
    await act('assign', { member_id: other.memberId });
    await rate();
    expect(await ratedMember()).toBe(assignee.memberId);
  });

  it('A rating of an unassigned conversation counts for who resolved it.', async () => {
    await act('resolve');
    await rate();
    expect(await ratedMember()).toBe(desk.owner.memberId);
  });

  it('A rating of an unassigned conversation that a key resolved counts for nobody.', async () => {
    await key.post(`/v1/conversations/${id}/resolve`);
    await rate();
    expect(await ratedMember()).toBeNull();
  });
});

describe('An erased rating', () => {
  it('Erasing the contact removes the comment from the row, the events and the timeline; the score stays.', async () => {
    const comment = 'Ask for Vera at number 7';
    await act('resolve');
    await rate({ score: 3, comment });
    await key.delete(`/v1/contacts/${visitor.contactId}`);
    expect((await read()).csat).toMatchObject({ score: 3, comment: null });
    const shown = await key.get(`/v1/conversations/${id}/messages`);
    expect(JSON.stringify(shown.data)).not.toContain(comment);
    const erasures = () => world.app.database.query('SELECT FROM erasure WHERE workspace_id = $1', [desk.workspaceId]);
    await eventually(async () => (await erasures()).length === 0 || undefined);
    for (const table of ['conversation', 'message', 'event']) {
      const column = table === 'event' || table === 'message' ? 'conversation_id' : 'id';
      const rows = await world.app.database.query(`SELECT * FROM ${table} WHERE ${column} = $1`, [id]);
      expect(JSON.stringify(rows)).not.toContain(comment);
    }
  });

  it('An erased conversation cannot be rated.', async () => {
    await act('resolve');
    await key.delete(`/v1/contacts/${visitor.contactId}`);
    expect([401, 410]).toContain((await rate()).status);
  });
});

/** The visitor's session again: its token ends after a day. */
async function renewed(): Promise<{ token: string }> {
  const session = await world.as(visitor.token).post('/v1/widget/session', { widget_token: desk.widgetToken });
  return { token: session.data.visitor_token as string };
}
