import { beforeEach, describe, expect, it } from '@jest/globals';
import { desk, world } from '../support/desk-for-each.js';
import { eventually } from '../support/eventually.js';
import { race } from '../support/race.js';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import { readTimeline } from '../support/timeline.js';
import type { Agent, Visitor } from '../support/world.js';
import { unique } from '../support/world.js';

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

let visitor: Visitor;
let id: string;
/** Its key reads also after sessions have expired. */
let key: Caller;
beforeEach(async () => {
  visitor = await world.visitor(desk);
  id = (await world.conversation(visitor, 'Where is my parcel?')).id as string;
  key = await world.apiKey(desk);
});

const inSeconds = (seconds: number) => new Date(world.app.clock.now().getTime() + seconds * 1_000).toISOString();
const act = (action: string, body: object = {}, agent: Agent = desk.owner) =>
  agent.api.post(`/v1/conversations/${id}/${action}`, body);
const read = async (): Promise<Json> => (await key.get(`/v1/conversations/${id}`)).data as Json;
const shown = async (): Promise<Json> => (await visitor.api.get(`/v1/widget/conversations/${id}`)).data as Json;
const write = (content = 'Hello?') => visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content });
const answer = (body: object = {}, agent: Agent = desk.owner) =>
  agent.api.post(`/v1/conversations/${id}/messages`, { content: 'Let me look.', ...body });
const timeline = () => readTimeline(key, `/v1/conversations/${id}`);
const publicTimeline = () => readTimeline(visitor.api, `/v1/widget/conversations/${id}`);
const refusal = ({ status, error }: { status: number; error?: { code: string } }) => [status, error?.code];

describe('A snoozed conversation', () => {
  it('A conversation is snoozed until a time, with a private timeline entry, and visitors see it as open.', async () => {
    const until = inSeconds(DAY);
    const snoozed = await act('snooze', { until });
    expect(snoozed.status).toBe(200);
    expect(snoozed.data).toMatchObject({ status: 'snoozed', snoozed_until: until.replace('Z', '000Z') });
    expect(await timeline()).toEqual([
      expect.objectContaining({ event: 'snoozed', until: until.replace('Z', '000Z') }),
    ]);
    expect((await shown()).status).toBe('open');
    expect(await publicTimeline()).toEqual([]);
  });

  it('A snooze that is moved ends at its new time.', async () => {
    await act('snooze', { until: inSeconds(10 * MINUTE) });
    await act('snooze', { until: inSeconds(DAY) });
    world.app.clock.advance(20 * MINUTE);
    await new Promise(resolve => setTimeout(resolve, 1_500));
    expect((await read()).status).toBe('snoozed');
  });

  it('A conversation opens within two seconds of its time, by the service, and keeps its assignee.', async () => {
    await act('take');
    await act('snooze', { until: inSeconds(10 * MINUTE) });
    world.app.clock.advance(10 * MINUTE + 1);
    await eventually(async () => (await read()).status === 'open' || undefined, 2_500);
    expect(await read()).toMatchObject({ snoozed_until: null, assignee_id: desk.owner.memberId });
    expect((await timeline()).at(-1)).toMatchObject({
      event: 'woken',
      reason: 'snooze_ended',
      actor: { type: 'system', id: null },
    });
  });

  it('A snooze without a time lasts until the contact writes.', async () => {
    expect((await act('snooze', {})).data).toMatchObject({ status: 'snoozed', snoozed_until: null });
    world.app.clock.advance(400 * DAY);
    await new Promise(resolve => setTimeout(resolve, 1_500));
    expect((await read()).status).toBe('snoozed');
  });

  it("A contact's message ends the snooze.", async () => {
    await act('snooze', { until: inSeconds(DAY) });
    expect((await write()).status).toBe(201);
    expect(await read()).toMatchObject({ status: 'open', snoozed_until: null });
    expect((await timeline()).at(-1)).toMatchObject({ event: 'woken', reason: 'contact_wrote' });
  });

  it('An agent ends the snooze by hand: the conversation is open, keeps its assignee, and the entry names the agent.', async () => {
    await act('take');
    const { version } = (await act('snooze', { until: inSeconds(DAY) })).data;
    const woken = await act('wake', { expected_version: version });
    expect(woken.status).toBe(200);
    expect(woken.data).toMatchObject({ status: 'open', snoozed_until: null, assignee_id: desk.owner.memberId });
    const entry = (await timeline()).at(-1);
    expect(entry).toMatchObject({ event: 'woken', actor: { type: 'member', id: desk.owner.memberId } });
    expect(entry).not.toHaveProperty('reason');
    expect(await publicTimeline()).toEqual([]);
  });

  it('Only a snoozed conversation can be woken (422), and only as the caller has read it (409).', async () => {
    expect(refusal(await act('wake'))).toEqual([422, 'invalid_transition']);
    await act('snooze');
    expect(refusal(await act('wake', { expected_version: 1 }))).toEqual([409, 'version_conflict']);
    await act('resolve');
    expect(refusal(await act('wake'))).toEqual([422, 'invalid_transition']);
  });

  it('Several who wake it at the same time wake it once.', async () => {
    await act('snooze');
    const answers = await race(6, () => act('wake'));
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
    expect(statuses).toEqual([200, 422, 422, 422, 422, 422]);
    expect((await timeline()).filter(({ event }) => event === 'woken')).toHaveLength(1);
  });

  it("An agent's answer leaves the conversation snoozed, and the visitor's frame says open.", async () => {
    const page = await world.visitorSocket(visitor);
    await act('snooze', { until: inSeconds(DAY) });
    await answer();
    expect((await read()).status).toBe('snoozed');
    const frame = await page.next('message.created');
    expect(frame.data.conversation).toMatchObject({ status: 'open' });
  });

  it.each([
    ['in the past', -1],
    ['less than a minute ahead', 59],
    ['more than a year ahead', 367 * DAY],
  ])('A snooze that ends %s is refused (400 snooze_in_past).', async (_when, seconds) => {
    expect(refusal(await act('snooze', { until: inSeconds(seconds) }))).toEqual([400, 'snooze_in_past']);
    expect((await read()).status).toBe('open');
  });

  it('A resolved conversation cannot be snoozed (422).', async () => {
    await act('resolve');
    expect(refusal(await act('snooze', { until: inSeconds(DAY) }))).toEqual([422, 'invalid_transition']);
  });

  it('Snooze, message and resolve at the same time leave a conversation in one state with one entry for each change.', async () => {
    for (let round = 0; round < 10; round += 1) {
      id = (await world.conversation(await world.visitor(desk), 'Hello')).id as string;
      const acts = [() => act('snooze', { until: inSeconds(DAY) }), () => answer(), () => act('resolve')];
      await race(3, index => acts[index]?.() ?? Promise.reject(new Error('no act')));
      const { status, snoozed_until, resolved_at } = await read();
      expect([status === 'snoozed', status === 'resolved']).toEqual([snoozed_until !== null, resolved_at !== null]);
    }
  });
});

describe('A handoff', () => {
  it('An agent hands an open conversation off: it is unassigned, with reason and summary for the next agent.', async () => {
    await act('take');
    const handedOff = await act('handoff', { reason: 'needs_refund', summary: 'Order 4711' });
    expect(handedOff.status).toBe(200);
    expect(handedOff.data).toMatchObject({
      status: 'open',
      assignee_id: null,
      handoff: { reason: 'needs_refund', summary: 'Order 4711' },
    });
    expect((await timeline()).at(-1)).toMatchObject({ event: 'handed_over', reason: 'needs_refund' });
    expect(JSON.stringify(await shown())).not.toContain('4711');
  });

  it('A reason that is not a code, or a long summary, is refused (400).', async () => {
    for (const body of [{ reason: 'Needs a refund' }, { summary: 'x'.repeat(2_001) }]) {
      expect((await act('handoff', body)).status).toBe(400);
    }
  });

  it('A resolved or snoozed conversation cannot be handed off (422).', async () => {
    await act('snooze');
    expect(refusal(await act('handoff'))).toEqual([422, 'invalid_transition']);
    await act('resolve');
    expect(refusal(await act('handoff'))).toEqual([422, 'invalid_transition']);
  });
});

describe('A resolve that is taken back', () => {
  it('The agent who resolved a conversation takes that back within 30 seconds: status, assignee and snooze return, and the entry disappears.', async () => {
    await act('take');
    await act('snooze', { until: inSeconds(DAY) });
    const before = await read();
    const page = await world.visitorSocket(visitor);
    await act('resolve');
    world.app.clock.advance(29);
    const back = await act('reopen');
    expect(back.status).toBe(200);
    for (const field of ['status', 'assignee_id', 'snoozed_until', 'waiting_since', 'reopened_count', 'resolved_at'])
      expect([field, back.data[field]]).toEqual([field, before[field]]);
    expect((await publicTimeline()).filter(({ event }) => event !== undefined)).toEqual([]);
    expect((await timeline()).map(({ event }) => event as string)).not.toContain('reopened');
    await page.next('message.deleted');
    const updated = await page.next('conversation.updated', ({ data }) => data.changes.status?.to === 'open');
    expect(updated.data.changes.status).toEqual({ from: 'resolved', to: 'open' });
  });

  it('After 30 seconds it is a reopening.', async () => {
    await act('resolve');
    world.app.clock.advance(31);
    expect((await act('reopen')).data).toMatchObject({ status: 'open', reopened_count: 1 });
    expect((await publicTimeline()).map(({ event }) => event as string)).toEqual(['resolved', 'reopened']);
  });

  it('For another agent it is a reopening.', async () => {
    const colleague = await world.colleague(desk);
    await act('resolve');
    expect((await act('reopen', {}, colleague)).data).toMatchObject({ status: 'open', reopened_count: 1 });
  });

  it('An API key takes no resolve back: it is a reopening.', async () => {
    await key.post(`/v1/conversations/${id}/resolve`);
    expect((await key.post(`/v1/conversations/${id}/reopen`)).data).toMatchObject({ reopened_count: 1 });
  });

  it('After a note it can still be taken back, after a public message it is open already.', async () => {
    await act('resolve');
    await answer({ content: 'a note', private: true });
    expect((await act('reopen')).data).toMatchObject({ status: 'open', reopened_count: 0 });
    await act('resolve');
    await write();
    expect(refusal(await act('reopen'))).toEqual([422, 'invalid_transition']);
  });

  it('Two reopenings at the same time take it back once; the other one is refused.', async () => {
    await act('resolve');
    const answers = await race(2, () => act('reopen'));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 422]);
    expect((await read()).reopened_count).toBe(0);
  });
});

describe('A visitor who ends the chat', () => {
  const end = () => visitor.api.post(`/v1/widget/conversations/${id}/resolve`);
  const allow = () =>
    desk.owner.api.patch(`/v1/channels/${desk.channelId}`, { widget_config: { features: { end_chat: true } } });

  it('A visitor cannot end the chat unless the channel offers it (403 feature_disabled).', async () => {
    expect(refusal(await end())).toEqual([403, 'feature_disabled']);
    expect((await read()).status).toBe('open');
  });

  it('A visitor ends the chat where the channel offers it; again, nothing changes.', async () => {
    await allow();
    expect((await end()).data).toMatchObject({ id, status: 'resolved' });
    const { version } = await read();
    expect((await end()).status).toBe(200);
    expect(await read()).toMatchObject({
      status: 'resolved',
      resolved_by: { type: 'contact', id: visitor.contactId },
      version,
    });
    expect(await publicTimeline()).toEqual([{ event: 'closed_by_contact' }]);
  });

  it("A visitor cannot end another visitor's chat (404).", async () => {
    await allow();
    const other = await world.visitor(desk);
    expect((await other.api.post(`/v1/widget/conversations/${id}/resolve`)).status).toBe(404);
  });
});

describe('First responses and waiting', () => {
  it("An agent's first public message after the contact's is the first response; notes and bots are none.", async () => {
    const bot = (await desk.owner.api.post('/v1/bots', { name: 'Robo' })).data;
    await answer({ content: 'a note', private: true });
    await key.post(`/v1/conversations/${id}/messages`, { content: 'I am a robot', bot_id: bot.id });
    expect((await read()).first_response_at).toBeNull();
    const first = await answer();
    await answer();
    expect((await read()).first_response_at).toBe(first.data.created_at);
  });

  it('A conversation that an agent begins has a first response only after the contact has written.', async () => {
    const contact = await world.visitor(desk);
    const begun = await desk.owner.api.post('/v1/conversations', {
      contact_id: contact.contactId,
      channel_id: desk.channelId,
      message: { content: 'May I help?' },
    });
    id = begun.data.id as string;
    await answer();
    expect(await read()).toMatchObject({ first_response_at: null, waiting_since: null });
    visitor = contact;
    const question = await write();
    expect(await read()).toMatchObject({ first_response_at: null, waiting_since: question.data.created_at });
    const response = await answer();
    expect(await read()).toMatchObject({ first_response_at: response.data.created_at, waiting_since: null });
  });

  it("An agent's public answer marks what came before as read by the agents; a note does not.", async () => {
    await write('one');
    await write('two');
    await answer({ content: unique('note'), private: true });
    expect((await read()).unread).toMatchObject({ agents: 3 });
    const sent = await answer();
    expect(await read()).toMatchObject({ unread: { agents: 0 }, agent_last_read_seq: sent.data.seq });
    await write('three');
    expect((await read()).unread).toMatchObject({ agents: 1 });
  });
});
