import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import type { OutsideDesk } from '../support/outside.js';
import { callApi } from '../support/outside.js';
import { AgentTab } from './support/agent-tab.js';
import { ChatService } from './support/chat-service.js';
import { addMember, dialog, playSettings, pressIn, type OpenScreen } from './support/settings-play.js';
import { CompanySite } from './support/company-site.js';
import { PATIENCE_MS } from './support/company.js';
import { TestBrowser, type People } from './support/test-browser.js';
import { Visitor } from './support/visitor.js';

const PHONE = { width: 390, height: 844 };
const GREEN = '#0b6e4f';

let service: ChatService;
let browser: TestBrowser;
let site: CompanySite;
let desk: OutsideDesk;

const call = (method: string, path: string, body?: unknown): Promise<Json> =>
  callApi(method, `${service.url}/v1${path}`, desk.key, body);
const channel = () => call('GET', `/channels/${desk.channelId}`);

/** Runs a test as the owner, unless it opens a screen as another member. */
const play = (test: (open: OpenScreen, people: People) => Promise<void>, options = {}) =>
  playSettings(browser, { address: `${service.url}/dashboard/settings/channels`, owner: desk.email }, test, options);

/** Opens a part of the desk's channel. */
const openPart = (open: OpenScreen, part: string, email?: string) => open(`/${desk.channelId}/${part}`, email);

const form = (tab: AgentTab, name: string) => tab.page.getByRole('region', { name, exact: true });
const saveIn = (tab: AgentTab, name: string) => form(tab, name).getByRole('button', { name: 'Save' }).click();
const preview = (tab: AgentTab) => tab.page.frameLocator('iframe[title="Preview"]');
const code = (tab: AgentTab, name: string) => tab.page.getByRole('group', { name, exact: true }).innerText();

describeInChromium('The channels of the dashboard', () => {
  beforeAll(async () => {
    [service, browser, site] = await Promise.all([ChatService.start(), TestBrowser.start(), CompanySite.start()]);
  }, 240_000);
  beforeEach(async () => {
    desk = await service.openDesk();
  });
  afterAll(async () => {
    await Promise.all([browser.stop(), service.stop(), site.stop()]);
  });

  it('An admin creates a channel, sees its identity secret once, and is led to the line for the website.', () =>
    play(async open => {
      const admin = await open('');
      await admin.press('New channel');
      await admin.field('Name').fill('x'.repeat(201));
      await pressIn(admin, 'New channel');
      await admin.page.getByText('Enter a name of at most 200 characters.').waitFor();
      expect(await admin.field('Name').inputValue()).toBe('x'.repeat(201));
      await admin.field('Name').fill('Web shop');
      await pressIn(admin, 'New channel');
      const secret = await admin.field('Identity secret').inputValue();
      expect(secret).toMatch(/^ids_\S{20,}/);
      await admin.isAccessible('the secret of a new channel');
      await pressIn(admin, 'Put it on your website');
      await admin.sees('Web shop');
      await admin.hasForgotten(secret);
      expect(await admin.page.content()).not.toContain(secret);
      const created = (await call('GET', '/channels')).items.find(({ name }: Json) => name === 'Web shop');
      expect(await code(admin, 'Line for your pages')).toBe(
        `<script async src="${service.url}/widget.js" data-widget-token="${created.widget_token}"></script>`,
      );
      await admin.page.getByRole('link', { name: 'All channels' }).click();
      await admin.page.getByRole('link', { name: 'Web shop' }).waitFor();
      await admin.isAccessible('the list of channels');
    }));

  it('An admin renames a channel, switches it off and on again by an undo, and deletes it after typing its name.', () =>
    play(async open => {
      const admin = await open(`/${desk.channelId}`);
      await admin.field('Name').fill('Web shop');
      await admin.press('Save');
      await admin.sees('Web shop');
      await admin.page.getByRole('switch', { name: 'Chat is on' }).click();
      await admin.reads('“Web shop” is off.');
      expect((await channel()).status).toBe('disabled');
      await admin.press('Undo');
      await eventually(async () => (await channel()).status === 'active' || undefined, PATIENCE_MS);
      await admin.isAccessible('a channel');
      await admin.press('Delete channel');
      await pressIn(admin, 'Delete channel');
      await admin.reads('Type Web shop first.');
      await admin.field('To confirm, type Web shop').fill('Web shop');
      await pressIn(admin, 'Delete channel');
      await admin.page.getByRole('heading', { name: 'No channels' }).waitFor();
      await expect(channel()).rejects.toThrow('404');
    }));

  it('The preview is the real widget with unsaved settings, and makes no contact, no conversation and no storage.', () =>
    play(async open => {
      const requests: string[] = [];
      const admin = await openPart(open, 'appearance');
      admin.page.on('request', request => requests.push(new URL(request.url()).pathname));
      const before = await admin.page.evaluate(() => Object.keys(localStorage));
      const chat = preview(admin);
      await chat.getByText('Hello! How can we help?').waitFor();
      await admin.fill({ Title: 'Harbour help', Greeting: 'Ahoy' });
      await chat.getByText('Ahoy').waitFor();
      await chat.getByText('Harbour help').waitFor();
      expect(await admin.page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe(
        'widget_config.greeting',
      );
      await admin.page.getByRole('radio', { name: 'Conversation' }).click();
      await chat.getByText('It is on its way and arrives tomorrow.').waitFor();
      await chat.getByRole('textbox').fill('Written in the preview');
      await chat.getByRole('button', { name: 'Send' }).click();
      await chat.getByText('Written in the preview').waitFor();
      await admin.field('Language of the chat').selectOption('de');
      await chat.getByPlaceholder('Nachricht schreiben').waitFor();
      expect((await call('GET', '/contacts')).items).toEqual([]);
      expect((await call('GET', '/conversations')).items).toEqual([]);
      expect(requests.filter(path => /^\/v1\/widget\/(?!config$)/.test(path))).toEqual([]);
      expect(await admin.page.evaluate(() => Object.keys(localStorage))).toEqual(before);
      expect((await channel()).widget_config.title).not.toBe('Harbour help');
      await admin.isAccessible('the appearance');
    }));

  it('A colour that is hard to see brings a warning, a faulty one a refusal in place, and nothing typed is lost.', () =>
    play(async open => {
      const admin = await openPart(open, 'appearance');
      await admin.field('Colour').fill('#ffe');
      await admin.field('Logo address').fill('ftp://shop.example/logo.svg');
      await admin.press('Save');
      await admin.page.getByText('Enter a colour as # and six digits, such as #0b6e4f.').waitFor();
      await admin.field('Colour').fill('#ffee99');
      await admin.page.getByText('On a white page the launcher is hard to see').waitFor();
      await admin.press('Save');
      await admin.page.getByText('Enter an address that begins with https://, or nothing.').waitFor();
      expect(await admin.field('Logo address').inputValue()).toBe('ftp://shop.example/logo.svg');
      await admin.page.getByRole('link', { name: 'Install' }).click();
      await admin.page.getByRole('link', { name: 'Appearance' }).click();
      expect(await admin.field('Colour').inputValue()).toBe('#ffee99');
      await admin.press('Discard changes');
      expect(await admin.field('Colour').inputValue()).toBe('#2563eb');
    }));

  it('A visitor of the website sees a saved colour, title and corner.', () =>
    play(async (open, people) => {
      const admin = await openPart(open, 'appearance');
      await admin.fill({ Colour: GREEN, Title: 'Harbour help' });
      await admin.page.getByRole('radio', { name: 'Left' }).click();
      await admin.press('Save');
      await admin.reads('Saved. Visitors see it within a minute.');
      await admin.page.getByRole('link', { name: 'Install' }).click();
      const visitor = await people.open(site.publish({ body: await code(admin, 'Line for your pages') }));
      await visitor.page.getByRole('button').first().waitFor();
      // A page that has read the former look asks again after a minute.
      const { widget_token: token } = await channel();
      const config = await fetch(`${service.url}/v1/widget/config?widget_token=${token}`);
      expect(config.headers.get('cache-control')).toBe('public, max-age=60');
      const host = visitor.page.locator('support-chat');
      expect(await host.evaluate(({ style }: HTMLElement) => style.getPropertyValue('--launcher'))).toBe(GREEN);
      expect(await host.getAttribute('data-side')).toBe('left');
      await visitor.page.getByRole('button').first().click();
      await visitor.page.getByText('Harbour help').waitFor();
    }));

  it('The install page names the website as soon as somebody writes there.', () =>
    play(async (open, people) => {
      const admin = await openPart(open, 'install');
      await admin.reads('No conversation has begun on a website yet.');
      const visitor = await Visitor.arrive(people, site.publish({ body: await code(admin, 'Line for your pages') }));
      await visitor.open();
      await visitor.write('Is this the right place?');
      await admin.reads(`Yes: the newest conversation began on ${visitor.page.url()}, now.`);
      await admin.isAccessible('an install page that was seen');
    }));

  it('The install page names the scheme of the service, the origin of the logo, and the address of the chat page.', () =>
    play(
      async open => {
        await call('PATCH', `/channels/${desk.channelId}`, {
          widget_config: { theme: { logo_url: 'https://cdn.example/logo.svg' } },
        });
        const admin = await openPart(open, 'install');
        const socket = service.url.replace('http', 'ws');
        expect(await code(admin, 'Sources to allow')).toBe(
          `script-src ${service.url}; connect-src ${service.url} ${socket}; img-src ${service.url} https://cdn.example`,
        );
        expect(await code(admin, 'Code for your pages')).toContain('identityToken: async () =>');
        const { widget_token: token } = await channel();
        expect(await code(admin, 'Address of the chat')).toBe(`${service.url}/chat?widget_token=${token}`);
        await admin.isAccessible('the install page');
        await admin.press('Copy: Line for your pages');
        await admin.page.getByRole('button', { name: 'Copied: Line for your pages' }).waitFor();
        expect(await admin.page.evaluate(() => navigator.clipboard.readText())).toContain(token);
      },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    ));

  it('An admin sets routing, hours, away message, ending, mail and files, and each faulty number is refused in place.', () =>
    play(async open => {
      const admin = await openPart(open, 'conversations');
      await admin.field('New conversations').selectOption('least_loaded');
      await admin.field('Give away after minutes').fill('0');
      await saveIn(admin, 'Who answers');
      await admin.page.getByText('Enter a whole number from 1 to 10,080, or nothing.').waitFor();
      await admin.field('Give away after minutes').fill('15');
      await saveIn(admin, 'Who answers');
      await admin.reads('The channel is saved.');
      await form(admin, 'Opening hours').getByRole('radio', { name: 'At set hours' }).click();
      await saveIn(admin, 'Opening hours');
      await admin.reads('The opening hours are saved.');
      await admin.field('Away message').fill('We are back tomorrow.');
      await saveIn(admin, 'When no agent is there');
      await admin.field('Resolve by itself after hours').fill('48');
      await admin.page.getByRole('switch', { name: 'Ask for a rating' }).click();
      await saveIn(admin, 'Ending');
      await admin.field('Address for replies').fill('nobody');
      await admin.field('Mail unread answers after minutes').fill('30');
      await saveIn(admin, 'By e-mail');
      await admin.page.getByText('Enter a complete e-mail, or nothing.').waitFor();
      await admin.field('Address for replies').fill('help@shop.example');
      await saveIn(admin, 'By e-mail');
      await admin.field('Largest file in MB').fill('2.5');
      await admin.field('Types of files').fill('image/*\napplication/pdf');
      await saveIn(admin, 'Files of customers');
      await eventually(async () => (await channel()).attachments.max_bytes === 2_621_440 || undefined, PATIENCE_MS);
      const saved = await channel();
      expect(saved).toMatchObject({
        routing: { mode: 'least_loaded', bot_id: null, reassign_after_minutes: 15 },
        auto_resolve_hours: 48,
        csat_enabled: true,
        followup_email_minutes: 30,
        reply_email: 'help@shop.example',
        attachments: { mime_types: ['image/*', 'application/pdf'] },
        business_hours: { mon: [{ from: '09:00', to: '17:00' }] },
        widget_config: { away_message: 'We are back tomorrow.' },
      });
      await admin.isAccessible('the rules for conversations');
    }));

  it('Questions before the chat are added, completed, ordered and removed, and a visitor is asked.', () =>
    play(async (open, people) => {
      const admin = await openPart(open, 'conversations');
      await admin.press('Add a question');
      await admin.press('Add a question');
      await admin.field('Text of question 1').fill('Your order');
      await admin.field('Key of question 1').fill('order');
      await admin.field('Answer to question 2').selectOption('select');
      await admin.field('Text of question 2').fill('Topic');
      await saveIn(admin, 'Questions before the chat');
      await admin.page.getByText('Enter at least one choice.').waitFor();
      await admin.isAccessible('an incomplete question');
      await admin.field('Choices of question 2').fill('Delivery\nReturns\n');
      await admin.press('Move question 2 up');
      await admin.page.getByRole('switch', { name: 'Ask questions' }).click();
      await saveIn(admin, 'Questions before the chat');
      await admin.reads('The channel is saved.');
      const { fields } = (await channel()).widget_config.pre_chat_form;
      expect(fields.map(({ label, options }: Json) => [label, options])).toEqual([
        ['Topic', ['Delivery', 'Returns']],
        ['Your order', undefined],
      ]);
      const visitor = await people.open(`${service.url}/chat?widget_token=${(await channel()).widget_token}`);
      await visitor.page.getByRole('textbox').fill('Hello');
      await visitor.page.keyboard.press('Enter');
      await visitor.page.getByLabel(/^Topic/).selectOption('Returns');
      await visitor.page.getByLabel(/^Your order/).waitFor();
    }));

  it('Allowed websites are checked line by line, and the warning about unproved customers is loud.', () =>
    play(async open => {
      const admin = await openPart(open, 'safety');
      const origins = admin.field('Addresses of the websites');
      await origins.fill('https://shop.example\nshop.example/page');
      await saveIn(admin, 'Allowed websites');
      await admin.page.getByText('Not one: shop.example/page.').waitFor();
      expect(await origins.inputValue()).toBe('https://shop.example\nshop.example/page');
      await origins.fill('https://shop.example\nhttps://Help.example:8443\n');
      await saveIn(admin, 'Allowed websites');
      await admin.reads('The channel is saved.');
      expect((await channel()).allowed_origins).toEqual(['https://shop.example', 'https://help.example:8443']);
      await admin.page.getByRole('radio', { name: 'Are always believed' }).click();
      await admin.reads('Whoever guesses a customer');
      await admin.isAccessible('the safety of a channel');
      await admin.page.getByRole('radio', { name: 'Must prove it' }).click();
      await saveIn(admin, 'Proof of identity');
      await eventually(async () => (await channel()).identity_verification === 'required' || undefined, PATIENCE_MS);
    }));

  it('A replaced identity secret is shown once, and a replaced token leads to the new line.', () =>
    play(async open => {
      const before = (await channel()).widget_token;
      const admin = await openPart(open, 'safety');
      await admin.press('Replace the secret');
      await pressIn(admin, 'Replace the secret');
      const secret = await dialog(admin).getByRole('textbox', { name: 'Identity secret' }).inputValue();
      expect(secret).toMatch(/^ids_\S{20,}/);
      await admin.hasForgotten(secret);
      await pressIn(admin, 'Done');
      await dialog(admin).waitFor({ state: 'detached' });
      expect(await admin.page.content()).not.toContain(secret);
      await admin.press('Replace the token');
      await dialog(admin).getByRole('checkbox').check();
      await pressIn(admin, 'Replace the token');
      await admin.reads('The token is replaced.');
      const after = (await channel()).widget_token;
      expect(after).not.toBe(before);
      expect(await code(admin, 'Line for your pages')).toContain(after);
    }));

  it('An agent and a session of some channels read a channel and change nothing; others do not exist for them.', async () => {
    const other = await call('POST', '/channels', { name: 'Other shop' });
    const people = [
      await addMember(service.url, desk, 'Ana', 'agent'),
      await addMember(service.url, desk, 'Nora', 'admin', [desk.channelId]),
    ];
    await play(async open => {
      for (const [index, { email }] of people.entries()) {
        const tab = await open('', email);
        await tab.sees('Channels');
        await tab.page.getByText('Only an owner or admin of all channels can change this.').waitFor();
        const links = tab.page.getByRole('main').getByRole('list').getByRole('link');
        await links.first().waitFor();
        expect(await links.count()).toBe(index === 0 ? 2 : 1);
        await tab.page.goto(`${service.url}/dashboard/settings/channels/${desk.channelId}/safety`);
        await tab.page.getByText('Those of the workspace').waitFor();
        expect(await tab.page.getByRole('main').getByRole('button').count()).toBe(0);
        expect(await tab.page.getByRole('main').getByRole('textbox').count()).toBe(0);
        await tab.isAccessible('a channel to read');
        await tab.page.goto(`${service.url}/dashboard/settings/channels/${other.id}`);
        await tab.sees(index === 0 ? 'Other shop' : 'This channel does not exist');
      }
    });
  });

  it('On a phone nothing of a channel is cut off.', () =>
    play(
      async open => {
        const admin = await open(`/${desk.channelId}`);
        for (const part of ['General', 'Appearance', 'Install', 'Conversations', 'Safety']) {
          await admin.page.getByRole('link', { name: part, exact: true }).click();
          await admin.page.locator(`[aria-current="page"]`, { hasText: part }).waitFor();
          expect([part, await admin.page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([part, 390]);
        }
      },
      { viewport: PHONE },
    ));

  it('A page of another site cannot show the preview in a frame, and its policy allows no request to the API.', async () => {
    const { headers } = await fetch(`${service.url}/dashboard/preview.html`);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy).toContain(`connect-src ${service.url}/widget/;`);
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
  });
});
