import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import type { OutsideDesk } from '../support/outside.js';
import { beginConversation, callApi } from '../support/outside.js';
import { PASSWORD } from '../support/unique.js';
import { AgentTab } from './support/agent-tab.js';
import { ChatService } from './support/chat-service.js';
import { addMember, dialog, playSettings, pressIn, type OpenScreen } from './support/settings-play.js';
import { PATIENCE_MS } from './support/company.js';
import { TestBrowser, type People } from './support/test-browser.js';

const NEW_PASSWORD = 'another horse, another battery';
const PHONE = { width: 390, height: 844 };

let service: ChatService;
let browser: TestBrowser;
let desk: OutsideDesk;

const call = (method: string, path: string, body?: unknown, token = desk.token): Promise<Json> =>
  callApi(method, `${service.url}/v1${path}`, token, body);

/** Runs a test as the owner, unless it opens a screen as another member. */
const play = (test: (open: OpenScreen, people: People) => Promise<void>, options = {}) =>
  playSettings(browser, { address: `${service.url}/dashboard/settings`, owner: desk.email }, test, options);

/** Waits until the service answers with a value. */
const becomes = <T>(read: () => Promise<T>, expected: T) =>
  eventually(async () => JSON.stringify(await read()) === JSON.stringify(expected) || undefined, PATIENCE_MS);

/** Names of the links of the settings. */
const sections = (tab: AgentTab) =>
  tab.page.getByRole('navigation', { name: 'Settings' }).getByRole('link').allInnerTexts();

const isClosed = (tab: AgentTab) => dialog(tab).waitFor({ state: 'detached' });

describeInChromium('The settings of the dashboard', () => {
  beforeAll(async () => {
    browser = await TestBrowser.start();
    service = await ChatService.start();
  }, 240_000);
  beforeEach(async () => {
    desk = await service.openDesk();
  });
  afterAll(async () => {
    await Promise.all([browser.stop(), service.stop()]);
  });

  it('A member changes name and picture, and the header shows the new name at once.', () =>
    play(async open => {
      const agent = await open('');
      await agent.sees('Profile');
      await agent.isAccessible('the profile');
      await agent.fill({ 'Your name': 'Olivia Ng', 'Picture address': 'ftp://example.com/olivia.png' });
      await agent.press('Save');
      await agent.page.getByText('Enter an address that begins with https://').waitFor();
      await agent.page.getByRole('link', { name: 'Workspace' }).click();
      await agent.sees('Workspace');
      await agent.page.getByRole('link', { name: 'Profile' }).click();
      expect(await agent.field('Your name').inputValue()).toBe('Olivia Ng');
      await agent.fill({ 'Picture address': 'https://example.com/olivia.png' });
      await agent.press('Save');
      await agent.isSignedIn('Olivia Ng');
      const me = await call('GET', '/workspace/members/me');
      expect([me.name, me.avatar_url]).toEqual(['Olivia Ng', 'https://example.com/olivia.png']);
    }));

  it('A page with unsaved settings asks before it is left, and no longer once they are discarded or the member signs out.', () =>
    play(async open => {
      const agent = await open('/workspace');
      await agent.field('Workspace name').fill('Half a na');
      const questions: string[] = [];
      agent.page.on('dialog', dialog => {
        questions.push(dialog.type());
        void dialog.dismiss();
      });
      const leave = () => agent.page.close({ runBeforeUnload: true });
      await leave();
      await eventually(async () => questions.length === 1 || undefined, PATIENCE_MS);
      expect(await agent.field('Workspace name').inputValue()).toBe('Half a na');
      await agent.press('Discard changes');
      await agent.field('Workspace name').fill('Another na');
      await agent.choose('Sign out');
      await agent.signIn(desk.email);
      expect(await agent.field('Workspace name').inputValue()).toBe('Desk');
      await leave();
      await eventually(async () => agent.page.isClosed() || undefined, PATIENCE_MS);
      expect(questions).toEqual(['beforeunload']);
    }));

  it('Availability and notifications are saved at once, and an undo takes each back.', () =>
    play(async open => {
      const agent = await open('/profile');
      const availability = async () => (await call('GET', '/workspace/members/me')).availability;
      await agent.page.getByRole('radio', { name: 'Away' }).click();
      await agent.reads('Your availability is Away.');
      expect(await availability()).toBe('away');
      await agent.press('Undo');
      await becomes(availability, 'online');
      expect(await agent.page.getByRole('radio', { name: 'Online' }).isChecked()).toBe(true);
      const replies = agent.page.getByRole('group', { name: 'A customer replies to you' });
      await replies.getByLabel('By e-mail').click();
      await agent.reads('Your notifications are changed.');
      const settings = async () => (await call('GET', '/workspace/members/me')).notification_settings.replied;
      expect(await settings()).toEqual({ app: true, email: true });
      await agent.press('Undo');
      await becomes(settings, { app: true, email: false });
    }));

  it('A change that the service refuses shows the former value again, and the reason.', () =>
    play(async open => {
      const agent = await open('/profile');
      await agent.page.getByRole('radio', { name: 'Online' }).waitFor();
      await agent.page.route('**/v1/workspace/members/me', route => route.abort());
      await agent.page.getByRole('radio', { name: 'Away' }).click();
      await agent.reads('Not sent: the service cannot be reached.');
      expect(await agent.page.getByRole('radio', { name: 'Online' }).isChecked()).toBe(true);
    }));

  it('A member changes the password with the present one, and stays signed in.', () =>
    play(async open => {
      const agent = await open('/profile');
      await agent.fill({ 'Present password': 'not the password', 'New password': NEW_PASSWORD });
      await agent.press('Change password');
      await agent.page.getByText('This is not your present password.').waitFor();
      await agent.fill({ 'Present password': PASSWORD });
      await agent.press('Change password');
      await agent.reads('Your password is changed.');
      expect(await agent.field('New password').inputValue()).toBe('');
      await agent.hasForgotten(NEW_PASSWORD);
      await agent.page.reload();
      await agent.isSignedIn('Olivia Owner');
      await callApi('POST', `${service.url}/v1/auth/login`, undefined, { email: desk.email, password: NEW_PASSWORD });
    }));

  it('A theme applies at once and in other tabs, and lasts over a reload; so does the choice of single keys.', () =>
    play(async open => {
      const agent = await open('/profile');
      const schemeOf = (page = agent.page) =>
        page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
      const other = await agent.page.context().newPage();
      await other.goto(agent.page.url());
      await other.getByRole('radio', { name: 'Dark' }).waitFor();
      await agent.page.getByRole('radio', { name: 'Dark' }).click();
      expect(await schemeOf()).toBe('dark');
      await becomes(() => schemeOf(other), 'dark');
      await agent.page.getByRole('switch', { name: 'Single-key shortcuts' }).click();
      await agent.page.reload();
      await agent.sees('Profile');
      expect(await schemeOf()).toBe('dark');
      expect(await agent.page.getByRole('switch', { name: 'Single-key shortcuts' }).isChecked()).toBe(false);
    }));

  it('An admin sets name, time zone and hours past midnight with a holiday, and an agent reads them.', async () => {
    const member = await addMember(service.url, desk, 'Ana Agent', 'agent');
    await play(async open => {
      const admin = await open('/workspace');
      await admin.fill({ 'Workspace name': 'Harbour' });
      await admin.field('Time zone').selectOption('Europe/Berlin');
      await admin.press('Save');
      await admin.isSignedIn('Olivia Owner', 'Harbour');
      await admin.page.getByRole('radio', { name: 'At set hours' }).click();
      await admin.field('Friday, to').fill('02:00');
      await admin.page.getByText('next day').waitFor();
      await admin.press('Remove Wednesday, 09:00 to 17:00');
      await admin.press('Add holiday');
      await admin.field('Name of holiday 1').fill('New year');
      await admin.page.getByRole('link', { name: 'Tags' }).click();
      await admin.sees('Tags');
      await admin.page.getByRole('link', { name: 'Workspace' }).click();
      expect(await admin.field('Name of holiday 1').inputValue()).toBe('New year');
      await admin.press('Save');
      await admin.reads('Enter a date for each holiday.');
      await admin.field('Date of holiday 1').fill('2027-01-01');
      await admin.isAccessible('opening hours');
      await admin.press('Save');
      await admin.reads('The opening hours are saved.');
      const { timezone, business_hours: hours } = await call('GET', '/workspace');
      expect([timezone, hours.fri, hours.wed]).toEqual(['Europe/Berlin', [{ from: '09:00', to: '02:00' }], []]);
      expect(hours.holidays).toEqual([expect.objectContaining({ date: '2027-01-01', name: 'New year' })]);

      const agent = await open('/workspace', member.email);
      await agent.page.getByText('Only an owner or admin of all channels can change this.').waitFor();
      await agent.page.getByText('09:00 to 02:00 (next day)').waitFor();
      expect(await agent.page.getByRole('main').getByRole('textbox').count()).toBe(0);
      await agent.isAccessible('a workspace to read');
    });
  });

  it('An owner limits a member to a channel, deactivates and reactivates it.', async () => {
    const member = await addMember(service.url, desk, 'Ana Agent', 'agent');
    await play(async open => {
      const owner = await open('/members');
      await owner.press('Edit: Ana Agent');
      await owner.isAccessible('the dialog of a member');
      await dialog(owner).getByRole('radio', { name: 'Only some channels' }).click();
      await dialog(owner).getByRole('checkbox').check();
      await owner.field('Open conversations at most').fill('3');
      await pressIn(owner, 'Save');
      await owner.reads('Ana Agent is changed.');
      const changed = await call('GET', `/workspace/members/${member.id}`);
      expect([changed.channel_ids, changed.capacity]).toEqual([[desk.channelId], 3]);
      await owner.press('Deactivate: Ana Agent');
      await pressIn(owner, 'Deactivate');
      await owner.press('Reactivate: Ana Agent');
      await owner.page.getByRole('button', { name: 'Deactivate: Ana Agent' }).waitFor();
      expect((await call('GET', `/workspace/members/${member.id}`)).status).toBe('active');
    });
  });

  it('The last owner cannot step down, and nothing typed is lost.', () =>
    play(async open => {
      const owner = await open('/members');
      await owner.press('Edit: Olivia Owner');
      await owner.field('Name').fill('Olivia Ng');
      await owner.field('Role').selectOption('agent');
      await pressIn(owner, 'Save');
      await owner.page.getByText('A workspace needs an owner.').waitFor();
      expect(await owner.field('Name').inputValue()).toBe('Olivia Ng');
      await owner.page.keyboard.press('Escape');
      await isClosed(owner);
      expect(await owner.page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
        'Edit: Olivia Owner',
      );
    }));

  it('An invite shows its link once, gets a new one, and is revoked.', () =>
    play(async open => {
      const owner = await open('/members');
      await owner.press('Invite a member');
      await owner.field('E-mail').fill(desk.email);
      await pressIn(owner, 'Create invite');
      await owner.page.getByText('This e-mail belongs to an active member already.').waitFor();
      await owner.field('E-mail').fill('dora@example.com');
      await owner.field('Role').selectOption('admin');
      await pressIn(owner, 'Create invite');
      const link = await owner.field('Link').inputValue();
      expect(link).toMatch(/#invite=\S{20,}/);
      const secret = link.split('=').at(-1) ?? '';
      await owner.isAccessible('the link of an invite');
      await owner.hasForgotten(secret);
      await pressIn(owner, 'Done');
      await isClosed(owner);
      expect(await owner.page.content()).not.toContain(secret);
      await owner.press('New link: dora@example.com');
      expect(await owner.field('Link').inputValue()).not.toBe(link);
      await pressIn(owner, 'Done');
      await owner.press('Revoke: dora@example.com');
      await pressIn(owner, 'Revoke');
      await owner.page.getByRole('heading', { name: 'No pending invites' }).waitFor();
      expect((await call('GET', '/workspace/invites?status=pending')).items).toEqual([]);
    }));

  it('An API key is shown once, works with its scopes alone, and is refused once it is revoked.', () =>
    play(async open => {
      const owner = await open('/api-keys');
      await owner.press('Create API key');
      await owner.field('Name').fill('Billing server');
      await dialog(owner).getByRole('radio', { name: 'Only some' }).click();
      await pressIn(owner, 'Create API key');
      await owner.reads('Choose at least one permission.');
      await dialog(owner).getByRole('checkbox', { name: 'contacts:read', exact: true }).check();
      await owner.isAccessible('a new API key');
      await owner.field('Expires').selectOption('90');
      await pressIn(owner, 'Create API key');
      const key = await owner.field('API key').inputValue();
      await call('GET', '/contacts', undefined, key);
      await expect(call('GET', '/conversations', undefined, key)).rejects.toThrow('403');
      await owner.hasForgotten(key);
      await pressIn(owner, 'Done');
      await isClosed(owner);
      expect(await owner.page.content()).not.toContain(key);
      await owner.page.getByText(/1 permission · .*Expires on/).waitFor();
      await owner.press('Revoke: Billing server');
      await dialog(owner).getByRole('checkbox').check();
      await pressIn(owner, 'Revoke');
      await owner.reads('“Billing server” is revoked.');
      await expect(call('GET', '/contacts', undefined, key)).rejects.toThrow('401');
      await owner.isAccessible('API keys');
    }));

  it('A canned response is created, found, previewed for a conversation, changed and deleted.', async () => {
    await beginConversation(service.url, desk);
    await play(async open => {
      const agent = await open('/canned-responses');
      await agent.page.getByRole('heading', { name: 'No canned responses' }).waitFor();
      await agent.press('New canned response');
      await agent.fill({
        'Short code': 'Hello there',
        Title: 'Greeting',
        Text: 'Hello {{contact.name|you}} from {{channel.name}}',
      });
      await pressIn(agent, 'Save');
      await agent.page.getByText('Use 1 to 50 small letters').waitFor();
      await agent.page.keyboard.press('Escape');
      await agent.press('New canned response');
      expect(await agent.field('Title').inputValue()).toBe('Greeting');
      await agent.fill({ 'Short code': 'hello' });
      await pressIn(agent, 'Save');
      await agent.press('Preview: /hello');
      await dialog(agent)
        .getByText(/^Hello you from (?!\{)/)
        .waitFor();
      await agent.isAccessible('a preview');
      await pressIn(agent, 'Close');
      await agent.press('Edit: /hello');
      await agent.fill({ Title: 'Welcome', Tags: `first contact\n${'x'.repeat(51)}` });
      await pressIn(agent, 'Save');
      await agent.page.getByText('Enter at most 20 tags of at most 50 characters.').waitFor();
      await agent.fill({ Tags: 'first contact\n\nhello, you\nfirst contact' });
      await pressIn(agent, 'Save');
      const changed = agent.page.getByRole('listitem').filter({ hasText: 'Welcome' });
      await changed.getByText('Tags: first contact and hello, you').waitFor();
      expect((await call('GET', '/canned-responses')).items[0].tags).toEqual(['first contact', 'hello, you']);
      await agent.field('Search').fill('refund');
      await agent.page.getByRole('heading', { name: 'Nothing found' }).waitFor();
      await agent.field('Search').fill('welc');
      await agent.press('Delete: /hello');
      await pressIn(agent, 'Delete');
      await agent.reads('/hello is deleted.');
      expect((await call('GET', '/canned-responses')).items).toEqual([]);
    });
  });

  it('An admin renames a tag, and deletes one after typing its name.', async () => {
    const { conversationId } = await beginConversation(service.url, desk);
    await call('PATCH', `/conversations/${conversationId}`, { tags: ['biling'] });
    await play(async open => {
      const admin = await open('/tags');
      await admin.press('Rename: biling');
      await admin.field('New name').fill('billing');
      await pressIn(admin, 'Rename');
      await admin.reads('“biling” is now “billing”.');
      expect((await call('GET', `/conversations/${conversationId}`)).tags).toEqual(['billing']);
      await admin.press('Delete: billing');
      await pressIn(admin, 'Delete');
      await admin.reads('Type billing first.');
      await admin.isAccessible('a name to type');
      await admin.field('To confirm, type billing').fill('billing');
      await pressIn(admin, 'Delete');
      await admin.page.getByRole('heading', { name: 'No tags' }).waitFor();
      expect((await call('GET', `/conversations/${conversationId}`)).tags).toEqual([]);
    });
  });

  it('Saved views are renamed, shared, moved and deleted, and an agent changes its own alone.', async () => {
    const member = await addMember(service.url, desk, 'Ana Agent', 'agent');
    for (const name of ['First', 'Second']) {
      await call('POST', '/views', { name, filters: { status: 'open' } });
    }
    await play(async open => {
      const admin = await open('/views');
      const own = admin.page.getByRole('list', { name: 'Only yours' });
      await admin.press('Up: Second');
      await becomes(
        async () => (await call('GET', '/views')).items.map((view: Json) => view.name),
        ['Second', 'First'],
      );
      expect(await own.locator('.title').allInnerTexts()).toEqual(['Second', 'First']);
      await admin.press('Rename: First');
      await admin.field('New name').fill('Urgent');
      await pressIn(admin, 'Rename');
      await admin.press('Share: Urgent');
      await admin.page.getByRole('list', { name: 'Shared with everybody' }).getByText('Urgent').waitFor();
      await admin.isAccessible('saved views');
      await admin.press('Delete: Second');
      await pressIn(admin, 'Delete');
      await admin.reads('“Second” is deleted.');

      const agent = await open('/views', member.email);
      await agent.page.getByRole('list', { name: 'Shared with everybody' }).getByText('Urgent').waitFor();
      expect(await agent.page.getByRole('main').getByRole('button').count()).toBe(0);
    });
  });

  it('A role and a scope decide which screens and buttons there are.', async () => {
    const all = [
      'Profile',
      'Workspace',
      'Members and invites',
      'Channels',
      'Bots',
      'Canned responses',
      'Tags',
      'Saved views',
    ];
    const people = [
      { member: await addMember(service.url, desk, 'Adam Admin', 'admin'), isAdmin: true },
      { member: await addMember(service.url, desk, 'Ana Agent', 'agent'), isAdmin: false },
      { member: await addMember(service.url, desk, 'Nora Narrow', 'admin', [desk.channelId]), isAdmin: false },
    ];
    await play(async open => {
      for (const { member, isAdmin } of people) {
        const tab = await open('/members', member.email);
        await tab.sees('Members and invites');
        await tab.page.getByRole('main').getByText('Nora Narrow').waitFor();
        expect([member.name, await sections(tab)]).toEqual([
          member.name,
          isAdmin ? [...all, 'API keys', 'Webhooks'] : all,
        ]);
        expect(await tab.page.getByRole('button', { name: 'Edit: Ana Agent' }).count()).toBe(isAdmin ? 1 : 0);
        expect(await tab.page.getByRole('button', { name: 'Edit: Olivia Owner' }).count()).toBe(0);
        await tab.page.goto(`${service.url}/dashboard/settings/api-keys`);
        await tab.sees(isAdmin ? 'API keys' : 'This setting does not exist');
      }
    });
  });

  it("Another admin's change shows when a screen is opened again, without a reload.", () =>
    play(async open => {
      const owner = await open('/canned-responses');
      await owner.page.getByRole('heading', { name: 'No canned responses' }).waitFor();
      await call('POST', '/canned-responses', { short_code: 'bye', title: 'Farewell', content: 'Good bye' });
      await owner.page.getByRole('link', { name: 'Tags' }).click();
      await owner.sees('Tags');
      await owner.page.getByRole('link', { name: 'Canned responses' }).click();
      await owner.page.getByText('Farewell').waitFor();
    }));

  it('On a phone the settings are a list, then a screen with a way back, in which nothing is cut off.', () =>
    play(
      async open => {
        const agent = await open('');
        await agent.sees('Settings');
        await agent.isAccessible('the list of settings on a phone');
        for (const name of await sections(agent)) {
          await agent.page.getByRole('link', { name, exact: true }).click();
          await agent.sees(name);
          expect([name, await agent.page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([name, 390]);
          await agent.page.getByRole('link', { name: 'All settings' }).click();
        }
        await agent.page.goto(`${service.url}/dashboard/settings/nothing`);
        await agent.sees('This setting does not exist');
      },
      { viewport: PHONE },
    ));

  it('A list that cannot be loaded offers to try again.', () =>
    play(async open => {
      const agent = await open('/profile');
      await agent.sees('Profile');
      await agent.page.route('**/v1/tags*', route => route.abort());
      await agent.page.getByRole('link', { name: 'Tags' }).click();
      await agent.reads('Not loaded: the service cannot be reached.');
      await agent.page.unroute('**/v1/tags*');
      await agent.press('Try again');
      await agent.page.getByRole('heading', { name: 'No tags' }).waitFor();
    }));
});
