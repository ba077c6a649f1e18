import type { Locator, Page } from 'playwright-core';
import type { Methods, SupportChat } from '../../../clients/widget/src/api.js';
import { eventually } from '../../support/eventually.js';
import { accessibilityViolations } from './accessibility.js';
import { PATIENCE_MS } from './company.js';
import { storedOutbox } from './stored-outbox.js';
import type { Tab } from './tab.js';
import type { People } from './test-browser.js';

/** A visitor with the company's page in a tab, who uses the widget by its names and roles. */
export class Visitor {
  readonly page: Page;

  private constructor(readonly tab: Tab) {
    this.page = tab.page;
  }

  /** Opens a page that has the widget. @param person name of the browser profile */
  static async arrive(people: People, url: string, person?: string): Promise<Visitor> {
    const visitor = new Visitor(await people.openEmpty(person));
    await visitor.goTo(url);
    return visitor;
  }

  /** Opens a page in a tab that a test has prepared. */
  static of(tab: Tab): Visitor {
    return new Visitor(tab);
  }

  get launcher(): Locator {
    return this.page.locator('support-chat button.launcher');
  }
  get panel(): Locator {
    return this.page.locator('support-chat dialog[open]');
  }
  get field(): Locator {
    return this.page.locator('support-chat .composer textarea');
  }
  get log(): Locator {
    return this.page.getByRole('log');
  }
  get startAgain(): Locator {
    return this.button('Start again');
  }
  get scroller(): Locator {
    return this.page.locator('support-chat .scroll');
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name });
  }

  /** A message that contains the text. */
  bubble(text: string): Locator {
    return this.log.locator('.bubble', { hasText: text });
  }

  /** Contents of the messages that are shown, in their order. */
  bubbles(): Promise<string[]> {
    return this.log.locator('.bubble').allInnerTexts();
  }

  /** Contents of all messages of the conversation, in their order. */
  async allBubbles(): Promise<string[]> {
    const older = this.button('Earlier messages');
    while (await older.isVisible()) await older.click({ timeout: 3_000 }).catch(() => undefined);
    return this.bubbles();
  }

  async goTo(url: string): Promise<void> {
    await this.page.goto(url);
    await this.launcher.waitFor();
  }

  async open(): Promise<this> {
    await this.launcher.click();
    await this.field.waitFor();
    return this;
  }

  /** Sends a message. */
  async write(text: string): Promise<void> {
    await this.field.fill(text);
    await this.field.press('Enter');
  }

  /** Waits until all messages have arrived at the service, besides those that it has refused. */
  async sent(): Promise<void> {
    const isRefused = (item: string) => (JSON.parse(item) as { failed?: string }).failed !== undefined;
    await eventually(async () => (await storedOutbox(this.page)).every(isRefused) || undefined, PATIENCE_MS);
    await this.log.getByText(/ · Sent$/).waitFor();
  }

  /** Waits for a message. */
  async reads(text: string): Promise<void> {
    await this.bubble(text).first().waitFor();
  }

  async chooseFromMenu(name: string): Promise<void> {
    await this.button('More').click();
    await this.button(name).click();
  }

  /** Calls a method of the widget, as a script of the page does. */
  call<Name extends Exclude<keyof Methods, 'on'>>(name: Name, ...args: Parameters<SupportChat[Name]>): Promise<void> {
    return this.page.evaluate(
      ([method, parameters]) => (window.SupportChat as unknown as (...call: unknown[]) => void)(method, ...parameters),
      [name, args] as const,
    );
  }

  /** Name of what has the focus in the widget: its label or its text. Undefined if the focus is outside. */
  focused(): Promise<string | undefined> {
    return this.page.evaluate(() => {
      const focused = document.querySelector('support-chat')?.shadowRoot?.activeElement as HTMLInputElement | null;
      const label = focused?.labels?.[0]?.textContent.trim();
      return focused ? (focused.ariaLabel ?? (label || focused.textContent)) : undefined;
    });
  }

  /** Waits until everything has come to its place. Colours in motion would be measured as they are half-way. */
  async settle(): Promise<void> {
    await this.page.evaluate(async () => {
      const root = document.querySelector('support-chat')!.shadowRoot!;
      const finite = root.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
      await Promise.all(finite.map(({ finished }) => finished.catch(() => undefined)));
    });
  }

  /** Begins to record what a screen reader announces politely. */
  async recordAnnouncements(): Promise<void> {
    await this.page.evaluate(() => {
      const texts: string[] = [];
      const region = document.querySelector('support-chat')!.shadowRoot!.querySelector('.view > [role=status]')!;
      new MutationObserver(changes => {
        const added = changes.flatMap(({ addedNodes, type, target }) =>
          type === 'childList' ? [...addedNodes] : target,
        );
        texts.push(...added.map(node => node.textContent!).filter(text => text !== ''));
      }).observe(region, { childList: true, characterData: true, subtree: true });
      Object.assign(window, { announcements: texts });
    });
  }

  /** Texts that have been announced since. */
  announcements(): Promise<string[]> {
    return this.page.evaluate(() => (window as unknown as { announcements: string[] }).announcements);
  }

  /** Violations of accessibility rules in the widget. */
  violations(): Promise<string[]> {
    return accessibilityViolations(this.page, 'support-chat');
  }
}
