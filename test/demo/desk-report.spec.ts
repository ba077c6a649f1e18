import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDesk } from '../../src/bin/demo/demo-desk.js';
import { DeskReport } from '../../src/bin/demo/desk-report.js';
import { ReportsConsumer } from '../../src/modules/reports/reports.consumer.js';
import { consumed } from '../support/consumed.js';
import { World } from '../support/world.js';

describe('The demo’s report', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  it('It is printed once it counts what was played, with a line for each agent; a run that was not counted fails.', async () => {
    const { agents, widgetToken, close } = await openDesk(world.app.url);
    const [owner] = agents;
    const report = await DeskReport.begin(owner!);
    const visitor = await world.visitor({ widgetToken });
    const { id } = (await world.conversation(visitor)) as { id: string };
    await owner!.conversations.send(id, { content: 'Hello!' });
    await owner!.conversations.resolve(id);
    await visitor.api.post(`/v1/widget/conversations/${id}/rating`, { score: 4 });
    await consumed(world, ReportsConsumer);
    const text = await report.read({ conversations: 1, messages: 2, ratings: 1 });
    expect(text).toContain('1 conversations, 1 resolved, 1 messages in, 1 out');
    expect(text).toMatch(/Olivia +1 messages +1 resolved +first response +\d+\.\d s +rated 4\.0/);
    expect(text).toMatch(/Grace +0 messages +0 resolved +first response +– +rated –/);
    const unread = report.read({ conversations: 1, messages: 3, ratings: 1 }, 0);
    await expect(unread).rejects.toThrow('the report counts too few messages');
    await close();
  });
});
