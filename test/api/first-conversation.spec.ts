import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from '../support/json.js';
import { World } from '../support/world.js';

describe('A first conversation', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  it("A visitor and an agent receive each other's messages at once and in the history", async () => {
    const desk = await world.desk();
    const visitor = await world.visitor(desk, { name: 'Vera' });
    const inbox = await world.agentSocket(desk.owner);
    const page = await world.visitorSocket(visitor);

    const conversation = await world.conversation(visitor, 'Where is my parcel?');
    const received = await inbox.next('message.created');
    expect(received.data.message.content).toBe('Where is my parcel?');
    expect((await page.next('conversation.created')).data.conversation.id).toBe(conversation.id);

    const path = `/v1/conversations/${conversation.id}`;
    expect((await desk.owner.api.post(`${path}/take`)).data.assignee_id).toBe(desk.owner.memberId);
    const reply = await desk.owner.api.post(`${path}/messages`, { content: 'On its way.' });
    expect(reply.status).toBe(201);
    const answer = await page.next('message.created', frame => frame.data.message.sender_type === 'agent');
    expect(answer.data.message).toMatchObject({ content: 'On its way.', sender_name: 'Olivia Owner' });
    expect((await desk.owner.api.post(`${path}/resolve`)).data.status).toBe('resolved');

    const history = await visitor.api.get(`/v1/widget/conversations/${conversation.id}/messages`);
    const texts = history.data.items.filter((message: Json) => message.content_type === 'text');
    expect(texts.map((message: Json) => message.content)).toEqual(['Where is my parcel?', 'On its way.']);
  });
});
