import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { VisitorClient, type ContactView } from '../../clients/sdk/src/index.js';
import { callApi } from '../support/outside.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import { AgentInbox, type InboxEntry } from './support/agent-inbox.js';
import { PATIENCE_MS } from './support/company.js';
import { DeskStage } from './support/desk-stage.js';
import type { People } from './support/test-browser.js';

const stage = new DeskStage();
const EMAIL = 'vera@example.com';

/** A visitor who has begun a conversation with each text. */
async function talk(name: string, ...texts: string[]): Promise<{ contactId: string; ids: string[] }> {
  const { url: baseUrl } = stage.service;
  const visitor = await VisitorClient.start({ baseUrl, widgetToken: stage.desk.widgetToken, name, email: EMAIL });
  const ids: string[] = [];
  for (const text of texts) ids.push((await visitor.startConversation(text)).conversation.id);
  const { contact_id: contactId } = await stage.server.conversations.get(ids[0]!);
  return { contactId, ids };
}

/** Opens the inbox, as the owner unless somebody else is named. */
function enter(people: People, entry: Partial<InboxEntry> = {}): Promise<AgentInbox> {
  const { service, desk } = stage;
  const owner = { url: service.url, key: desk.key, email: desk.email, name: 'Olivia Owner', view: 'all' };
  return AgentInbox.enter(people, { ...owner, ...entry });
}

/** Opens the only conversation of a person with what is known about it. */
async function openPerson(inbox: AgentInbox, name: string): Promise<Locator> {
  await inbox.open(name);
  return openDetails(inbox, name);
}

async function openDetails(inbox: AgentInbox, name: string): Promise<Locator> {
  await inbox.button('Details').click();
  const panel = inbox.page.getByRole('complementary', { name: 'Contact' });
  await panel.getByRole('heading', { name }).waitFor();
  return panel;
}

/** Waits until the service shows the contact so. */
function becomes(id: string, fields: Partial<ContactView>): Promise<ContactView> {
  return eventually(async () => {
    const contact = await stage.server.contacts.get(id);
    return Object.entries(fields).every(([field, value]) => contact[field as keyof ContactView] === value)
      ? contact
      : undefined;
  }, PATIENCE_MS);
}

/** Runs a test, after which no tab may have an error in its console. */
function play(test: (people: People) => Promise<AgentInbox[]>) {
  return stage.browser.run(async people => {
    for (const { tab } of await test(people)) expect(tab.errors).toEqual([]);
  });
}

describeInChromium('People in the dashboard', () => {
  stage.register();

  it('An agent sees what is known about a person, and its earlier conversations.', () =>
    play(async people => {
      await stage.server.channels.update(stage.desk.channelId, { single_conversation: false });
      const { contactId, ids } = await talk('Vera', 'Where is my parcel?', 'And my refund?');
      await stage.server.contacts.update(contactId, { phone: '+4915112345678', custom_attributes: { plan: 'gold' } });
      const inbox = await enter(people);
      await inbox.row('Vera').first().click();
      const panel = await openDetails(inbox, 'Vera');
      for (const text of [EMAIL, '+4915112345678', 'plan', 'gold']) {
        await panel.getByText(text, { exact: true }).waitFor();
      }
      await inbox.tab.isAccessible('what is known about a person');
      const opened = inbox.page.url();
      const other = ids.find(id => !opened.includes(id))!;
      await panel.getByRole('link', { name: /my (parcel|refund)/ }).click();
      await inbox.page.waitForURL(`**/${other}`);
      return [inbox];
    }));

  it('A person is exported to a file, blocked after a question, unblocked, and erased after a question.', () =>
    play(async people => {
      const { contactId } = await talk('Vera', 'Where is my parcel?');
      const inbox = await enter(people);
      const panel = await openPerson(inbox, 'Vera');
      const press = (name: string) => panel.getByRole('button', { name, exact: true }).click();
      const dialog = (name: string) => inbox.page.getByRole('dialog', { name });
      const [download] = await Promise.all([inbox.page.waitForEvent('download'), press('Export')]);
      expect(download.suggestedFilename()).toBe(`contact-${contactId}.json`);
      const exported = JSON.parse(await readFile(await download.path(), 'utf8')) as { contact: ContactView };
      expect([exported.contact.id, exported.contact.email]).toEqual([contactId, EMAIL]);

      await press('Block');
      await dialog('Block Vera?').getByRole('button', { name: 'Cancel' }).click();
      expect((await stage.server.contacts.get(contactId)).blocked).toBe(false);
      await press('Block');
      await dialog('Block Vera?').getByRole('button', { name: 'Block' }).click();
      await inbox.confirms('Vera is blocked.');
      await becomes(contactId, { blocked: true });
      await panel.getByText('Blocked', { exact: true }).waitFor();
      await press('Unblock');
      await inbox.confirms('Vera can write again.');
      await becomes(contactId, { blocked: false });

      await press('Erase');
      await dialog('Erase Vera?').getByRole('button', { name: 'Erase' }).click();
      await inbox.confirms('Vera is erased.');
      await expect(stage.server.contacts.get(contactId)).rejects.toMatchObject({ status: 404 });
      await inbox.row('Vera').waitFor({ state: 'detached' });
      return [inbox];
    }));

  it('Two contacts of one person are merged after their merge was shown, and a refusal stands in the question.', () =>
    play(async people => {
      const vera = await talk('Vera', 'Where is my parcel?');
      const second = await talk('V. Visitor', 'Hello again');
      const inbox = await enter(people);
      const panel = await openPerson(inbox, 'Vera');
      const dialog = inbox.page.getByRole('dialog', { name: 'Merge V. Visitor into Vera?' });
      const merge = (name: string) => panel.getByRole('listitem').filter({ hasText: name }).getByText('Merge…').click();
      await merge('V. Visitor');
      await dialog.getByText('1 conversation moves.').waitFor();
      await dialog.getByText('This cannot be undone.').waitFor();
      await inbox.tab.isAccessible('the question before a merge');
      expect((await stage.server.conversations.get(second.ids[0]!)).contact_id).toBe(second.contactId);
      await dialog.getByRole('button', { name: 'Merge' }).click();
      await inbox.confirms('V. Visitor is merged.');
      expect((await stage.server.conversations.get(second.ids[0]!)).contact_id).toBe(vera.contactId);
      await panel.getByText('Perhaps the same person').waitFor({ state: 'detached' });

      const third = await talk('Veronica', 'Me too');
      await inbox.page.reload();
      await panel.or(inbox.button('Details')).first().waitFor();
      if (!(await panel.isVisible())) await inbox.button('Details').click();
      await merge('Veronica');
      const question = inbox.page.getByRole('dialog', { name: 'Merge Veronica into Vera?' });
      await question.waitFor();
      await stage.server.contacts.delete(third.contactId);
      await question.getByRole('button', { name: 'Merge' }).click();
      await question.getByRole('alert').waitFor();
      await question.getByRole('button', { name: 'Cancel' }).click();
      return [inbox];
    }));

  it('An agent cannot erase a contact, and a session of some channels can neither export nor block one.', () =>
    play(async people => {
      await talk('Vera', 'Where is my parcel?');
      const { url } = stage.service;
      const { key, channelId } = stage.desk;
      const email = `ben-${stage.desk.workspaceId}@example.com`;
      await callApi('POST', `${url}/v1/workspace/members`, key, { email, name: 'Ben Backup', role: 'agent' });
      const agent = await enter(people, { email, name: 'Ben Backup' });
      const panel = await openPerson(agent, 'Vera');
      await panel.getByRole('button', { name: 'Block', exact: true }).waitFor();
      expect(await panel.getByRole('button', { name: 'Erase' }).count()).toBe(0);
      const limited = await enter(people, { channelIds: [channelId] });
      const known = await openPerson(limited, 'Vera');
      await known.getByText(EMAIL).waitFor();
      for (const name of ['Export', 'Block', 'Erase']) {
        expect([name, await known.getByRole('button', { name }).count()]).toEqual([name, 0]);
      }
      return [agent, limited];
    }));

  it('Several conversations are chosen by keys, resolved at once, and opened again by an undo.', () =>
    play(async people => {
      const talks = [await talk('Anna', 'One'), await talk('Ben', 'Two'), await talk('Carla', 'Three')];
      const inbox = await enter(people);
      const statuses = () =>
        Promise.all(talks.map(async ({ ids }) => (await stage.server.conversations.get(ids[0]!)).status));
      const become = (...expected: string[]) =>
        eventually(async () => JSON.stringify(await statuses()) === JSON.stringify(expected) || undefined, PATIENCE_MS);
      await inbox.open('Carla');
      const { keyboard } = inbox.page;
      await keyboard.press('Escape');
      await keyboard.press('Shift+J');
      await keyboard.press('e');
      await inbox.confirms('2 conversations are resolved.');
      await become('open', 'resolved', 'resolved');
      await keyboard.press('z');
      await become('open', 'open', 'open');
      return [inbox];
    }));

  it('An agent hands a conversation off, so that it waits for somebody else.', () =>
    play(async people => {
      const { ids } = await talk('Anna', 'Hello');
      const inbox = await enter(people);
      const assignee = async () => (await stage.server.conversations.get(ids[0]!)).assignee_id;
      await inbox.open('Anna');
      await inbox.button('Take').click();
      await eventually(async () => (await assignee()) ?? undefined, PATIENCE_MS);
      await inbox.button('Hand off').click();
      await inbox.confirms('Anna is handed off.');
      await eventually(async () => (await assignee()) === null || undefined, PATIENCE_MS);
      return [inbox];
    }));
});
