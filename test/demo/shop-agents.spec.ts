import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { VisitorClient } from '@support-chat/sdk';
import { Answers } from '../../src/bin/demo/answers.js';
import type { DemoDesk } from '../../src/bin/demo/demo-desk.js';
import { openDesk } from '../../src/bin/demo/demo-desk.js';
import { Pace } from '../../src/bin/demo/pace.js';
import { ShopAgents } from '../../src/bin/demo/shop-agents.js';
import { openShopChannel } from '../../src/bin/demo/shop-channel.js';
import { eventually } from '../support/eventually.js';
import { World } from '../support/world.js';

const DIALOGUE = {
  id: 'parcel',
  topics: [],
  turns: [
    ['contact', 'Where is my parcel?'],
    ['agent', 'Good morning!'],
    ['agent', 'It arrives tomorrow.'],
    ['contact', 'Thank you!'],
    ['agent', 'My pleasure.'],
  ] as ['contact' | 'agent', string][],
};

describe('The agents at the demo’s shop page', () => {
  let world: World;
  let desk: DemoDesk;
  let agents: ShopAgents;
  let widgetToken: string;
  beforeAll(async () => {
    world = await World.start();
    desk = await openDesk(world.app.url);
    const channel = await openShopChannel(desk.agents[0]!);
    widgetToken = channel.widget_token;
    agents = await ShopAgents.begin(desk.agents, channel.id, new Answers([DIALOGUE]), new Pace(0));
  });
  afterAll(async () => {
    agents.close();
    await desk.close();
    await world.stop();
  });

  const visit = (token: string) => VisitorClient.start({ baseUrl: world.app.url, widgetToken: token });
  const written = async (visitor: VisitorClient, id: string) =>
    (await visitor.messages(id)).items.map(({ sender_type, content }) => [sender_type, content]);

  it('A visitor of the shop page gets answers from the agent to whom the conversation is assigned.', async () => {
    const visitor = await visit(widgetToken);
    const { conversation } = await visitor.startConversation('Hi, where is my parcel?');
    const expected = [
      ['contact', 'Hi, where is my parcel?'],
      ['agent', 'Good morning!'],
      ['agent', 'It arrives tomorrow.'],
    ];
    await eventually(async () => (await written(visitor, conversation.id)).length === 3 || undefined);
    const messages = await written(visitor, conversation.id);
    expect(messages).toEqual(messages[0]![0] === 'contact' ? expected : expected.toReversed());
    await visitor.send(conversation.id, 'thank you');
    await eventually(async () => (await written(visitor, conversation.id)).length === 5 || undefined);
    expect(await written(visitor, conversation.id)).toContainEqual(['agent', 'My pleasure.']);
    const { assignee_id } = await desk.agents[0]!.conversations.get(conversation.id);
    const { items } = await visitor.messages(conversation.id);
    expect(new Set(items.flatMap(one => (one.sender_type === 'agent' ? [one.sender_id] : [])))).toEqual(
      new Set([assignee_id]),
    );
  });

  it('They leave the conversations of other channels alone, and know the shop page’s channel again.', async () => {
    expect((await openShopChannel(desk.agents[0]!)).widget_token).toBe(widgetToken);
    const other = await visit(desk.widgetToken);
    const { conversation } = await other.startConversation('Where is my parcel?');
    const visitor = await visit(widgetToken);
    const { conversation: answered } = await visitor.startConversation('Where is my parcel?');
    await eventually(async () => (await written(visitor, answered.id)).length === 3 || undefined);
    expect(await written(other, conversation.id)).toHaveLength(1);
  });
});
