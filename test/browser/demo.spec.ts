import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { AgentTab } from './support/agent-tab.js';
import { DemoProcess } from './support/demo-process.js';
import { TestBrowser } from './support/test-browser.js';
import { Visitor } from './support/visitor.js';

describeInChromium('The shop page of `npm run demo`', () => {
  let browser: TestBrowser;
  let demo: DemoProcess;
  beforeAll(async () => {
    [demo, browser] = await Promise.all([DemoProcess.start(), TestBrowser.start()]);
  }, 240_000);
  afterAll(async () => {
    await Promise.all([demo.stop(), browser.stop()]);
  });

  it('The demo prints the address of its shop first; a visitor is greeted there, and the agent of the chat answers.', () =>
    browser.run(
      async people => {
        const address = await demo.address();
        expect(new URL(address).pathname).toBe('/demo');
        const visitor = await Visitor.arrive(people, address);
        await visitor.page.locator('support-chat .welcome').getByText('Ask us anything').click();
        await visitor.write('Hello, where is my parcel?');
        await visitor.log.locator('.typing').waitFor();
        await visitor.reads('it sits in the Leeds depot');
        const sender = await visitor.log.locator('.sender').innerText();
        expect(['Olivia', 'Sam', 'Grace']).toContain(sender);
        await visitor.page.locator('support-chat .head p').getByText(`You are talking to ${sender}`).waitFor();
        expect(visitor.tab.errors).toEqual([]);
        expect(await visitor.violations()).toEqual([]);
      },
      { viewport: { width: 1280, height: 800 } },
    ));

  it('An address beside the shop opens the dashboard without a password, where a conversation of the shop comes in.', () =>
    browser.run(
      async people => {
        const address = await demo.address();
        const agent = await AgentTab.open(people, `${address}/agent`);
        await agent.isSignedIn('Olivia', 'Demo shop');
        await agent.page.getByRole('link', { name: 'All', exact: true }).click();
        const visitor = await Visitor.arrive(people, address);
        await visitor.page.locator('support-chat .welcome').getByText('Ask us anything').click();
        await visitor.write('Do the boots come in blue?');
        await agent.page.getByRole('option').filter({ hasText: 'boots come in blue' }).click();
        await agent.page.getByRole('log').getByText('Do the boots come in blue?').waitFor();
        expect(agent.errors).toEqual([]);
      },
      { viewport: { width: 1280, height: 800 } },
    ));
});
