import type { Locator, Page } from 'playwright-core';
import type { Methods, SupportChat } from '../../../clients/widget/src/api.js';
import { accessibilityViolations } from './accessibility.js';
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

  /** Waits until the last message has arrived at the service. */
  async sent(): Promise<void> {
    await this.log.getByText('Sent').waitFor();
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

  /** Violations of accessibility rules in the widget. */
  violations(): Promise<string[]> {
    return accessibilityViolations(this.page, 'support-chat');
  }
}
