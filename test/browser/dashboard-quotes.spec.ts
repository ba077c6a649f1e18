import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { AgentClient, ServerClient, VisitorClient } from '../../clients/sdk/src/index.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import { PASSWORD } from '../support/unique.js';
import { AgentTab } from './support/agent-tab.js';
import { ChatService } from './support/chat-service.js';
import { PATIENCE_MS } from './support/company.js';
import { TestBrowser } from './support/test-browser.js';

let service: ChatService;
let browser: TestBrowser;

describeInChromium('Quotes in the dashboard', () => {
  beforeAll(async () => {
    [service, browser] = await Promise.all([ChatService.start(), TestBrowser.start()]);
  }, 240_000);
  afterAll(() => Promise.all([browser.stop(), service.stop()]));

  it('An agent quotes a message, keeps the quote across a reload, sends it, and jumps to what was quoted.', () =>
    browser.run(async people => {
      const desk = await service.openDesk();
      const server = new ServerClient({ baseUrl: service.url, apiKey: desk.key });
      const visitor = await VisitorClient.start({
        baseUrl: service.url,
        widgetToken: desk.widgetToken,
        name: 'Vera Visitor',
      });
      const { conversation, message } = await visitor.startConversation('Do you have it in red?');
      for (let number = 1; number <= 60; number += 1) await visitor.send(conversation.id, `Line ${number}`);
      const tab = await AgentTab.open(people, `${service.url}/dashboard/inbox/all/${conversation.id}`);
      await tab.signIn(desk.email);
      const { page } = tab;
      const timeline = page.getByRole('log', { name: 'Messages' });
      const reply = page.getByRole('textbox', { name: 'Reply to the contact' });
      const answer = async (line: Locator) => {
        await line.hover();
        await line.getByRole('button', { name: 'Message actions' }).click();
        await page.getByRole('option', { name: 'Reply', exact: true }).click();
      };
      const line = (text: string) =>
        timeline.locator('li.message', { has: page.locator('.bubble', { hasText: text }) });
      const composer = page.locator('.composer');
      await line('Line 60').waitFor();
      await answer(line('Line 60'));
      await composer.getByRole('button', { name: /Vera Visitor Line 60/ }).waitFor();
      await composer.getByRole('button', { name: 'Remove the quote' }).click();
      expect(await composer.locator('.quote').count()).toBe(0);

      await page.goto(`${page.url().split('?')[0]}?message=${message.id}`);
      await answer(line('Do you have it in red?'));
      await reply.fill('Yes, in red too.');
      await page.reload();
      await composer.getByText('Do you have it in red?').waitFor();
      expect(await reply.inputValue()).toBe('Yes, in red too.');
      await reply.press('Enter');
      await line('Yes, in red too.').locator('.quote', { hasText: 'Do you have it in red?' }).waitFor();
      expect(await composer.locator('.quote').count()).toBe(0);
      const sent = await eventually(async () => {
        const { items } = await server.conversations.messages(conversation.id);
        return items.find(({ content }) => content === 'Yes, in red too.');
      }, PATIENCE_MS);
      expect(sent.reply_to_id).toBe(message.id);

      await page.goto(page.url().split('?')[0] ?? '');
      await line('Yes, in red too.').locator('.quote').click();
      await page.locator(`#message-${message.id}.linked`).waitFor();
      await tab.isAccessible('a quoted message');
      await answer(line('Yes, in red too.'));
      await reply.fill('Or in blue.');
      await reply.press('Enter');
      await line('Or in blue.').locator('.quote', { hasText: 'Yes, in red too.' }).waitFor();
      const agent = new AgentClient({ baseUrl: service.url });
      await agent.login({ email: desk.email, password: PASSWORD });
      await agent.conversations.unsend(conversation.id, sent.id);
      await line('Or in blue.').locator('.quote', { hasText: 'This message was unsent.' }).waitFor();
      expect(tab.errors).toEqual([]);
    }));
});
