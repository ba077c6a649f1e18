import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import { MailServer } from '../support/mail-server.js';
import type { OutsideDesk } from '../support/outside.js';
import { callApi } from '../support/outside.js';
import { PASSWORD, unique } from '../support/unique.js';
import { AgentTab } from './support/agent-tab.js';
import { ChatService } from './support/chat-service.js';
import { PATIENCE_MS } from './support/company.js';
import type { People } from './support/test-browser.js';
import { TestBrowser } from './support/test-browser.js';

const NEW_PASSWORD = 'another horse, another battery';

let service: ChatService;
let mails: MailServer;
let browser: TestBrowser;
let desk: OutsideDesk;

const dashboard = (rest = '') => `${service.url}/dashboard${rest}`;
const someEmail = () => `${unique('agent')}@example.com`;

/** Invites an e-mail into the desk. @returns the link that the inviter sees */
async function invite(email: string, to: OutsideDesk = desk): Promise<string> {
  const made = await callApi('POST', `${service.url}/v1/workspace/invites`, to.token, { email });
  return made.accept_url as string;
}

/** @returns the link that signs the desk's owner in */
async function ticketLink(channelIds?: string[]): Promise<string> {
  const body = { email: desk.email, ...(channelIds && { channel_ids: channelIds }) };
  return (await callApi('POST', `${service.url}/v1/auth/sso/ticket`, desk.key, body)).redirect_url as string;
}

/** @returns the link of the first mail to an address that has one with this fragment */
function mailedLink(address: string, fragment: string): Promise<string> {
  const pattern = new RegExp(`http\\S+#${fragment}=[\\w-]+`);
  const read = () => mails.mailsTo(address).map(({ text }) => pattern.exec(text ?? '')?.[0]);
  return eventually(async () => read().find(link => link !== undefined), PATIENCE_MS);
}

const secretOf = (link: string) => link.split('=').at(-1) ?? '';

/** Runs a test, after which no tab may have an error in its console. */
function play(test: (people: People, open: (address: string) => Promise<AgentTab>) => Promise<void>, options = {}) {
  return browser.run(async people => {
    const tabs: AgentTab[] = [];
    await test(people, async address => {
      const tab = await AgentTab.open(people, address);
      tabs.push(tab);
      return tab;
    });
    for (const tab of tabs) expect(tab.errors).toEqual([]);
  }, options);
}

describeInChromium('The sign-in to the dashboard', () => {
  beforeAll(async () => {
    [mails, browser] = await Promise.all([MailServer.start(), TestBrowser.start()]);
    service = await ChatService.start({ SMTP_URL: mails.url, MAIL_FROM: 'Desk <desk@example.com>' });
  }, 240_000);
  beforeEach(async () => {
    desk = await service.openDesk();
  });
  afterAll(async () => {
    await Promise.all([browser.stop(), service.stop()]);
    await mails.stop();
  });

  it('An agent signs in with e-mail and password, stays at the address that was opened, and is signed in after a reload.', () =>
    play(async (_people, open) => {
      const agent = await open(dashboard('/inbox/42'));
      await agent.sees('Sign in');
      await agent.signIn(desk.email);
      await agent.isSignedIn('Olivia Owner');
      expect(agent.page.url()).toBe(dashboard('/inbox/42'));
      await agent.page.reload();
      await agent.isSignedIn('Olivia Owner');
    }));

  it('A wrong password and an unknown e-mail get the same sentence, and nothing typed is lost.', () =>
    play(async (_people, open) => {
      const agent = await open(dashboard());
      for (const email of [desk.email, someEmail()]) {
        await agent.signIn(email, 'not the password');
        await agent.reads('The e-mail or the password is wrong.');
        expect(await agent.field('E-mail').inputValue()).toBe(email);
        expect(await agent.field('Password').inputValue()).toBe('not the password');
      }
      await agent.isAccessible('a refused sign-in');
    }));

  it('Faults stand at their fields, the first of which gets the focus, and go away as they are mended.', () =>
    play(async (_people, open) => {
      const agent = await open(dashboard());
      await agent.press('Sign in');
      const email = agent.field('E-mail');
      expect(await email.evaluate(field => field === document.activeElement)).toBe(true);
      expect(await email.getAttribute('aria-invalid')).toBe('true');
      await agent.page.getByText('Enter your password.').waitFor();
      await agent.isAccessible('faults at two fields');
      await agent.signIn('olivia', 'whatever it is');
      await agent.page.getByText('Enter a complete e-mail').waitFor();
      await agent.signIn(desk.email);
      await agent.isSignedIn('Olivia Owner');
    }));

  it('Without a network a sign-in is not sent, and works when the network is back.', () =>
    play(async (people, open) => {
      const agent = await open(dashboard());
      await agent.sees('Sign in');
      const profile = await people.profile('agent');
      await profile.setOffline(true);
      await agent.signIn(desk.email);
      await agent.reads('Not sent');
      expect(await agent.field('Password').inputValue()).toBe(PASSWORD);
      await profile.setOffline(false);
      await agent.press('Sign in');
      await agent.isSignedIn('Olivia Owner');
    }));

  it('After too many attempts the wait is named.', () =>
    play(async (_people, open) => {
      const agent = await open(dashboard());
      for (let attempt = 0; attempt < 12; attempt++) {
        await callApi('POST', `${service.url}/v1/auth/login`, undefined, {
          email: desk.email,
          password: 'not the password',
        }).catch(() => undefined);
      }
      await agent.signIn(desk.email);
      await agent.reads(/Not sent: too many attempts\. Try again in \d+ minutes?\./);
    }));

  it('A person with the keyboard alone signs in, opens the menu, closes it, and signs out.', () =>
    play(async (_people, open) => {
      const agent = await open(dashboard());
      await agent.sees('Sign in');
      const { keyboard } = agent.page;
      await keyboard.type(desk.email);
      await keyboard.press('Tab');
      await keyboard.type(PASSWORD);
      await keyboard.press('Enter');
      await agent.isSignedIn('Olivia Owner');
      const stops = ['Skip to content', 'Inbox', 'Reports', 'Settings', 'Notifications', 'Account: Olivia Owner'];
      for (const stop of stops) {
        await keyboard.press('Tab');
        expect(await agent.page.evaluate(() => document.activeElement?.textContent)).toContain(stop);
      }
      await keyboard.press('Enter');
      await agent.page.getByRole('menu').waitFor();
      await agent.isAccessible('the open menu');
      await keyboard.press('Escape');
      await agent.page.getByRole('menu').waitFor({ state: 'hidden' });
      await keyboard.press('Enter');
      await agent.page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
      await keyboard.press('End');
      await keyboard.press('Enter');
      await agent.sees('Sign in');
      expect(await agent.page.evaluate(() => localStorage.length)).toBe(0);
    }));

  it('A request for a new password looks the same for known and unknown e-mails, and its link works once.', () =>
    play(async (_people, open) => {
      const agent = await open(dashboard());
      await agent.fill({ 'E-mail': desk.email });
      await agent.page.getByRole('link', { name: 'Forgot your password?' }).click();
      await agent.sees('Reset your password');
      expect(await agent.field('E-mail').inputValue()).toBe(desk.email);
      await agent.isAccessible('the request for a link');
      const sentences = [];
      for (const email of [desk.email, someEmail()]) {
        await agent.fill({ 'E-mail': email });
        await agent.press('Send link');
        await agent.sees('Check your mailbox');
        sentences.push((await agent.page.getByRole('main').innerText()).replace(email, '…'));
        await agent.press('Use another e-mail');
      }
      expect(sentences[0]).toBe(sentences[1]);

      const link = await mailedLink(desk.email, 'reset');
      const reset = await open(link);
      await reset.sees('Choose a new password');
      await reset.hasForgotten(secretOf(link));
      await reset.isAccessible('the choice of a password');
      await reset.fill({ 'New password': 'short' });
      await reset.press('Change password');
      await reset.page.getByText('Use 10 to 72 characters').waitFor();
      await reset.fill({ 'New password': NEW_PASSWORD });
      await reset.press('Change password');
      await reset.reads('Your password is changed.');
      await reset.signIn(desk.email, NEW_PASSWORD);
      await reset.isSignedIn('Olivia Owner');

      const again = await open(link);
      await again.fill({ 'New password': NEW_PASSWORD });
      await again.press('Change password');
      await again.sees('This link has been used or has expired.');
      await again.isAccessible('a used link');
    }));

  it('A new person joins by the link of an invite, which leaves nothing in the address and works once.', () =>
    play(async (people, open) => {
      const email = someEmail();
      const link = await invite(email);
      const agent = await open(link);
      await agent.sees('Join Desk');
      await agent.page.getByText(`You are invited as agent, with the e-mail ${email}.`).waitFor();
      await agent.hasForgotten(secretOf(link));
      await agent.isAccessible('an invite');
      await agent.fill({ 'Your name': 'Gina Guest', Password: PASSWORD });
      await agent.press('Join workspace');
      await agent.isSignedIn('Gina Guest');
      await agent.hasForgotten(secretOf(link));

      const other = await AgentTab.open(people, link, 'stranger');
      await other.sees('This invite is no longer valid.');
      await other.isAccessible('a used invite');
      await other.press('Back to sign in');
      await other.sees('Sign in');
    }));

  it('A person with an account joins another workspace with its password, and switches between the two.', () =>
    play(async (_people, open) => {
      const second = await service.openDesk();
      await callApi('PATCH', `${service.url}/v1/workspace`, second.token, { name: 'Harbour' });
      const agent = await open(await invite(desk.email, second));
      await agent.sees('Join Harbour');
      await agent.page.getByLabel('I have an account').check();
      await agent.fill({ 'Your name': 'Olivia Elsewhere', Password: 'not the password' });
      await agent.press('Join workspace');
      await agent.page.getByText('this is not its password').waitFor();
      expect(await agent.field('Your name').inputValue()).toBe('Olivia Elsewhere');
      await agent.fill({ Password: PASSWORD });
      await agent.press('Join workspace');
      await agent.isSignedIn('Olivia Elsewhere', 'Harbour');

      await agent.choose('Desk');
      await agent.isSignedIn('Olivia Owner', 'Desk');
      await agent.page.reload();
      await agent.isSignedIn('Olivia Owner', 'Desk');
      await agent.choose('Harbour');
      await agent.isSignedIn('Olivia Elsewhere', 'Harbour');
      await agent.isAccessible('the dashboard');
    }));

  it('A ticket in a link signs in once, and leaves nothing in the address, the history or the storage.', () =>
    play(async (people, open) => {
      const link = await ticketLink();
      const agent = await open(link);
      await agent.isSignedIn('Olivia Owner');
      await agent.hasForgotten(secretOf(link));
      await agent.page.reload();
      await agent.isSignedIn('Olivia Owner');

      const other = await AgentTab.open(people, link, 'stranger');
      await other.sees('You are not signed in');
      await other.hasForgotten(secretOf(link));
      await other.isAccessible('a used ticket');
      await other.press('Sign in with a password');
      await other.sees('Sign in');
    }));

  it('A ticket for some channels opens a session that is limited to them.', () =>
    play(async (_people, open) => {
      const agent = await open(await ticketLink([desk.channelId]));
      await agent.isSignedIn('Olivia Owner');
      await agent.page.getByText('Limited to 1 channel').waitFor();
      await agent.sees('Assigned to you');
      await agent.isAccessible('a limited session');
    }));

  it('A link that is opened in the tab of the dashboard works too, without a reload.', () =>
    play(async (_people, open) => {
      const agent = await open(dashboard());
      await agent.sees('Sign in');
      const link = await ticketLink();
      await agent.page.evaluate(fragment => location.assign(fragment), new URL(link).hash);
      await agent.isSignedIn('Olivia Owner');
      await agent.hasForgotten(secretOf(link));
    }));

  it('A sign-out in one tab ends the others, which give the reason, and a sign-in in one reaches the others.', () =>
    play(async (_people, open) => {
      const first = await open(dashboard());
      await first.signIn(desk.email);
      const second = await open(dashboard());
      await second.isSignedIn('Olivia Owner');
      await first.choose('Sign out');
      await first.sees('Sign in');
      await second.reads('You were signed out in another tab.');
      await second.isAccessible('an ended session');
      await second.signIn(desk.email);
      await second.isSignedIn('Olivia Owner');
      await first.isSignedIn('Olivia Owner');
    }));

  it.each(['an open', 'a later'])(
    'A session that the service has ended leads %s tab to the sign-in with the reason.',
    tab =>
      play(async (_people, open) => {
        const agent = await open(dashboard());
        await agent.signIn(desk.email);
        await agent.isSignedIn('Olivia Owner');
        const stored = await agent.page.evaluate(() => JSON.parse(localStorage.getItem('support-chat:agent') ?? '{}'));
        // a tab that still loads would learn of the end by a refused call
        await agent.page.waitForLoadState('networkidle');
        // An open tab hears of the end at once; a later one finds it.
        if (tab === 'a later') await agent.page.goto('about:blank');
        await callApi('POST', `${service.url}/v1/auth/logout`, undefined, { refresh_token: stored.refresh_token });
        if (tab === 'a later') await agent.page.goto(dashboard());
        await agent.reads('Your session has ended.');
        await agent.signIn(desk.email);
        await agent.isSignedIn('Olivia Owner');
      }),
  );

  it('A tab stops when another member signs in meanwhile, and continues as that member only on request.', () =>
    play(async (_people, open) => {
      const email = someEmail();
      const link = await invite(email);
      const first = await open(dashboard());
      await first.signIn(desk.email);
      await first.isSignedIn('Olivia Owner');
      const second = await open(link);
      await second.fill({ 'Your name': 'Gina Guest', Password: PASSWORD });
      await second.press('Join workspace');
      await second.isSignedIn('Gina Guest');
      await first.sees('Signed in elsewhere');
      expect(await first.page.getByText('Olivia').count()).toBe(0);
      await first.isAccessible('signed in elsewhere');
      await first.press('Continue with the other sign-in');
      await first.isSignedIn('Gina Guest');
    }));

  it('A dashboard that is opened without an answer of the service keeps the session, and continues it.', () =>
    play(async (_people, open) => {
      // Only the inbox leaves a snapshot, which would be shown.
      const agent = await open(dashboard('/settings/profile'));
      await agent.signIn(desk.email);
      await agent.isSignedIn('Olivia Owner');
      await agent.page.route('**/v1/auth/me', route => route.abort());
      await agent.page.reload();
      await agent.sees('No connection');
      await agent.isAccessible('no connection');
      await agent.page.unroute('**/v1/auth/me');
      await agent.press('Try again');
      await agent.isSignedIn('Olivia Owner');
    }));

  it('A German browser shows German texts, and names its language to screen readers.', () =>
    play(
      async (_people, open) => {
        const agent = await open(dashboard());
        await agent.sees('Anmelden');
        expect(await agent.page.getAttribute('html', 'lang')).toBe('de-AT');
      },
      { locale: 'de-AT' },
    ));
});
