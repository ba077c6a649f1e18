import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { ChatService } from './support/chat-service.js';
import { Company, PATIENCE_MS } from './support/company.js';
import { CompanySite, snippet } from './support/company-site.js';
import { TestBrowser } from './support/test-browser.js';
import { Visitor } from './support/visitor.js';

let service: ChatService;
let site: CompanySite;
let browser: TestBrowser;

const DESKTOP = { viewport: { width: 1000, height: 760 } };

interface Scene {
  company: Company;
  /** Has opened the chat. */
  visitor: Visitor;
  /** Closes the tab and comes back in another one of the same browser profile. */
  comeBack(): Promise<Visitor>;
  setOffline(isOffline: boolean): Promise<void>;
}

/** Plays a test with a new company and a visitor. No script of the page may fail, and no dialog may open. */
function play(channel: Json, test: (scene: Scene) => Promise<void>, options: BrowserContextOptions = DESKTOP) {
  return browser.run(async people => {
    const company = await Company.open(service, channel);
    const url = site.publish({ body: snippet(service.url, company.widgetToken) });
    const tabs: Visitor[] = [];
    const dialogs: string[] = [];
    const arrive = async (): Promise<Visitor> => {
      const visitor = await Visitor.arrive(people, url);
      visitor.page.on('dialog', dialog => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      tabs.push(visitor);
      return visitor.open();
    };
    const visitor = await arrive();
    const comeBack = async (): Promise<Visitor> => {
      await tabs.at(-1)!.page.close();
      return arrive();
    };
    const setOffline = async (isOffline: boolean) => (await people.profile()).setOffline(isOffline);
    await test({ company, visitor, comeBack, setOffline });
    expect(dialogs).toEqual([]);
    expect(tabs.flatMap(({ tab }) => tab.errors.filter(error => !error.includes('ERR_INTERNET_DISCONNECTED')))).toEqual(
      [],
    );
  }, options);
}

/** Signs in as Ada, and sends one message and writes another. @returns a function that signs the identity of others */
async function writeAsAda(company: Company, visitor: Visitor) {
  const identityOf = await company.identities();
  await visitor.call('identify', identityOf('ada'));
  await visitor.write('Secret of Ada');
  await visitor.sent();
  await visitor.field.fill('Draft of Ada');
  return identityOf;
}

describeInChromium('The chat', () => {
  beforeAll(async () => {
    [service, site, browser] = await Promise.all([ChatService.start(), CompanySite.start(), TestBrowser.start()]);
  }, 240_000);
  afterAll(async () => {
    await Promise.all([browser.stop(), site.stop(), service.stop()]);
  });

  it('A visitor and an agent talk: the message is sent, seen and answered, and a name and a time show by whom.', () =>
    play({}, async ({ company, visitor }) => {
      await visitor.write('Where is my order?');
      await visitor.reads('Where is my order?');
      await visitor.sent();
      const { id } = await company.conversation();
      await company.call('POST', `/v1/conversations/${id}/read`, { seq: 1 });
      await visitor.log.getByText('Seen').waitFor();
      await company.answer('It is **on its way**.');
      await visitor.log.locator('strong', { hasText: 'on its way' }).waitFor();
      await visitor.log.getByText('Olivia Owner').waitFor();
      expect(await visitor.violations()).toEqual([]);
      const read = async () => ((await company.conversation())['unread'].contact === 0 ? true : undefined);
      await eventually(read, PATIENCE_MS);
    }));

  it('Messages that were written offline are kept over a reload, and arrive in order once.', () =>
    play({}, async ({ company, visitor, comeBack, setOffline }) => {
      await visitor.write('one');
      await visitor.sent();
      await setOffline(true);
      for (const text of ['two', 'three', 'four']) await visitor.write(text);
      await visitor.log.getByText('Will be sent when you are back online').first().waitFor();
      await setOffline(false);
      const later = await comeBack();
      for (const text of ['one', 'two', 'three', 'four']) await later.reads(text);
      await later.sent();
      expect(await company.received()).toEqual(['one', 'two', 'three', 'four']);
    }));

  it('An unsent text is kept over a reload until it is sent.', () =>
    play({}, async ({ visitor, comeBack }) => {
      await visitor.field.fill('Half a sen');
      expect(await (await comeBack()).field.inputValue()).toBe('Half a sen');
    }));

  it('A returning visitor continues without another session request.', () =>
    play({}, async ({ visitor, comeBack }) => {
      await visitor.write('Hello');
      await visitor.sent();
      const later = await comeBack();
      await later.reads('Hello');
      await later.write('Hello again');
      await later.sent();
      expect(later.tab.requests.filter(url => url.includes('/v1/widget/session'))).toEqual([]);
    }));

  it('A stored session that the service no longer accepts is replaced by a new one.', () =>
    play({}, async ({ company, visitor, comeBack }) => {
      await visitor.write('Hello');
      await visitor.sent();
      const { contact_id } = await company.conversation();
      await company.call('DELETE', `/v1/contacts/${contact_id}`);
      const later = await comeBack();
      await later.write('A new start');
      await later.sent();
      expect(await company.received()).toEqual(['A new start']);
    }));

  it('A text that is typed while the ended session is replaced stays in the field.', () =>
    play({}, async ({ company, visitor, comeBack }) => {
      await visitor.write('Hello');
      await visitor.sent();
      const { contact_id } = await company.conversation();
      let letThrough = (): void => undefined;
      const typed = new Promise<void>(resolve => (letThrough = resolve));
      const sessions = '**/v1/widget/session';
      await visitor.page.context().route(sessions, route => typed.then(() => route.continue()));
      await company.call('DELETE', `/v1/contacts/${contact_id}`);
      const later = await comeBack();
      const replaced = later.page.waitForResponse(sessions);
      await later.field.fill('A new start');
      letThrough();
      await replaced;
      await later.page.getByText('Hello! How can we help?').waitFor();
      expect(await later.field.inputValue()).toBe('A new start');
      await later.field.press('Enter');
      await later.sent();
      expect(await company.received()).toEqual(['A new start']);
    }));

  it('A message that is written before the ended session has been replaced begins a new conversation.', () =>
    play({}, async ({ company, visitor, comeBack }) => {
      await visitor.write('Hello');
      await visitor.sent();
      const { contact_id } = await company.conversation();
      let letThrough = (): void => undefined;
      const written = new Promise<void>(resolve => (letThrough = resolve));
      const sessions = '**/v1/widget/session';
      await visitor.page.context().route(sessions, route => written.then(() => route.continue()));
      await company.call('DELETE', `/v1/contacts/${contact_id}`);
      const later = await comeBack();
      await later.write('A new start');
      letThrough();
      await later.sent();
      expect(await company.received()).toEqual(['A new start']);
    }));

  it('Names, messages and texts of the configuration with markup are shown as text.', () => {
    const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script>';
    return play({ widget_config: { title: hostile, greeting: hostile } }, async ({ company, visitor }) => {
      await visitor.write(`${hostile} [x](javascript:alert(3))`);
      await visitor.reads('[x](javascript');
      await company.answer(`agent ${hostile} **${hostile}** [y](javascript:alert(4)) \`${hostile}\``);
      await visitor.reads(`agent ${hostile}`);
      expect(await visitor.page.locator('support-chat .view :is(script, img)').count()).toBe(0);
      expect(await visitor.page.locator('support-chat a[href^="javascript"]').count()).toBe(0);
    });
  });

  it('A form that the company requires is filled in after the first message, which waits for it, also over a reload.', () => {
    const fields = [
      { key: 'name', label: 'Your name', type: 'text', required: true },
      { key: 'order', label: 'Order', type: 'text', required: false },
    ];
    return play({ widget_config: { pre_chat_form: { enabled: true, fields } } }, async ({ company, visitor }) => {
      await visitor.write('Hello');
      await visitor.button('Start chat').click();
      await visitor.page.getByText('Fill in this field.').waitFor();
      expect(await visitor.violations()).toEqual([]);
      await visitor.page.reload();
      await visitor.reads('Hello');
      expect(await company.conversations()).toEqual([]);
      await visitor.page.getByLabel('Your name').fill('Ada');
      await visitor.button('Start chat').click();
      await visitor.sent();
      expect((await company.conversation())['contact'].name).toBe('Ada');
    });
  });

  it('The first screen keeps its field while a message of a new conversation waits for the form.', () => {
    const fields = [{ key: 'name', label: 'Your name', type: 'text', required: true }];
    return play({ widget_config: { pre_chat_form: { enabled: true, fields } } }, async ({ visitor }) => {
      await visitor.write('Hello');
      await visitor.page.getByLabel('Your name').fill('Ada');
      await visitor.button('Start chat').click();
      await visitor.sent();
      await visitor.button('Back').click();
      await visitor.write('Another question');
      await visitor.page.getByLabel('Your name').waitFor();
      await visitor.button('Back').click();
      await visitor.field.waitFor();
    });
  });

  it('A visitor ends the chat, rates it with a comment, and can go on until it ends again.', () =>
    play({ csat_enabled: true, widget_config: { features: { end_chat: true } } }, async ({ company, visitor }) => {
      await visitor.write('Hello');
      await company.answer('Hello yourself');
      await visitor.reads('Hello yourself');
      await visitor.chooseFromMenu('End chat');
      await visitor.page.getByRole('radio', { name: 'Good', exact: true }).check({ force: true });
      await visitor.page.getByLabel('Tell us more').fill('Quick');
      expect(await visitor.violations()).toEqual([]);
      await visitor.button('Send rating').click();
      await visitor.page.getByText('Thank you for your rating').waitFor();
      expect((await company.conversation())['csat']).toMatchObject({ score: 4, comment: 'Quick' });
      await visitor.button('Start again').click();
      await visitor.write('One more thing');
      await visitor.reads('One more thing');
      await visitor.log.getByText('The chat goes on').waitFor();
      await company.resolve();
      await visitor.button('Start again').waitFor();
    }));

  it('A visitor can send what was being written when the chat ended.', () =>
    play({}, async ({ company, visitor }) => {
      await visitor.write('Hello');
      await visitor.sent();
      await visitor.field.fill('One more th');
      await company.resolve();
      await visitor.button('Start again').waitFor();
      await visitor.field.pressSequentially('ing');
      await visitor.field.press('Enter');
      await visitor.reads('One more thing');
      await visitor.button('Start again').waitFor({ state: 'detached' });
      expect(await company.received()).toEqual(['Hello', 'One more thing']);
    }));

  it('Another person who signs in on the page finds nothing of the former one, on the screen or in the storage.', () =>
    play({}, async ({ company, visitor }) => {
      const identityOf = await writeAsAda(company, visitor);
      await visitor.call('identify', identityOf('ben'));
      await visitor.page.getByText('How can we help?').waitFor();
      expect(await visitor.field.inputValue()).toBe('');
      await visitor.write('Hello from Ben');
      await visitor.sent();
      expect(await visitor.page.getByText('of Ada').count()).toBe(0);
      expect(await visitor.page.evaluate(() => JSON.stringify(localStorage))).not.toContain('of Ada');
      const contacts = (await company.conversations()).map(({ contact_id }) => contact_id as string);
      const people = await Promise.all(contacts.map(id => company.call('GET', `/v1/contacts/${id}`)));
      expect(people.map(({ external_id }) => external_id as string).sort()).toEqual(['ada', 'ben']);
    }));

  it('After a logout the browser keeps no trace of the person.', () =>
    play({}, async ({ company, visitor }) => {
      await writeAsAda(company, visitor);
      await visitor.call('shutdown');
      await visitor.launcher.waitFor({ state: 'detached' });
      const stored = await visitor.page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)]);
      expect(stored).toEqual([]);
      await visitor.call('boot', {});
      await visitor.open();
      expect(await visitor.field.inputValue()).toBe('');
      expect(await visitor.page.getByText('Secret of Ada').count()).toBe(0);
    }));

  it('Features that are off have no button.', () => {
    const features = { attachments: false, emoji: false, end_chat: false, csat: false, transcript: false };
    return play({ widget_config: { features } }, async ({ visitor }) => {
      await visitor.write('Hello');
      await visitor.sent();
      await visitor.button('More').click();
      await visitor.button('Turn sound off').waitFor();
      for (const name of ['Add an emoji', 'Attach a file', 'End chat', 'Send this chat to me by e-mail']) {
        expect(await visitor.page.getByLabel(name).or(visitor.button(name)).count()).toBe(0);
      }
    });
  });

  it('A file is uploaded and sent with its message.', () =>
    play({}, async ({ company, visitor }) => {
      const file = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('Hello') };
      await visitor.page.getByLabel('Attach a file').setInputFiles(file);
      await visitor.page.getByText('note.txt').waitFor();
      const uploaded = async () =>
        (await visitor.page.locator('support-chat progress').count()) === 0 ? true : undefined;
      await eventually(uploaded, PATIENCE_MS);
      await visitor.write('See the file');
      await visitor.log.getByText('note.txt').waitFor();
      await visitor.sent();
      const { id } = await company.conversation();
      const { items } = await company.call('GET', `/v1/conversations/${id}/messages`);
      expect(items[0]['attachments'][0].name).toBe('note.txt');
    }));

  it('The chat has no accessibility violations at 320 px, in dark, without motion, and needs no scrolling sideways.', () =>
    play(
      { widget_config: { theme: { mode: 'dark', primary_color: '#ffdd00' } } },
      async ({ visitor }) => {
        expect(await visitor.violations()).toEqual([]);
        await visitor.write('A long word: ' + 'x'.repeat(300));
        await visitor.sent();
        expect(await visitor.violations()).toEqual([]);
        const wider = await visitor.scroller.evaluate(element => element.scrollWidth - element.clientWidth);
        expect(wider).toBe(0);
      },
      { viewport: { width: 320, height: 560 }, reducedMotion: 'reduce' },
    ));

  it('The texts are in the language of the browser, from right to left in Arabic, and change with `setLocale`.', () =>
    play(
      {},
      async ({ visitor }) => {
        const view = visitor.page.locator('support-chat .view');
        expect([await view.getAttribute('lang'), await view.getAttribute('dir')]).toEqual(['de-AT', 'ltr']);
        await visitor.call('setLocale', 'ar');
        await visitor.page.locator('support-chat .view[lang="ar"][dir="rtl"]').waitFor();
        expect(await visitor.violations()).toEqual([]);
      },
      { ...DESKTOP, locale: 'de-AT' },
    ));
});
