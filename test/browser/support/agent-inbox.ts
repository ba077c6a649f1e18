import type { Locator, Page } from 'playwright-core';
import type { AgentTab } from './agent-tab.js';

/** An agent at the inbox. Everything is found by its name, as people and screen readers do. */
export class AgentInbox {
  constructor(readonly tab: AgentTab) {}

  get page(): Page {
    return this.tab.page;
  }

  get timeline(): Locator {
    return this.page.getByRole('log', { name: 'Messages' });
  }

  get reply(): Locator {
    return this.page.getByRole('textbox', { name: 'Reply to the contact' });
  }

  get note(): Locator {
    return this.page.getByRole('textbox', { name: 'Note for the team' });
  }

  /** The row of a contact in the list. */
  row(name: string): Locator {
    return this.page.getByRole('option', { name });
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  async openView(name: string): Promise<void> {
    await this.page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name }).click();
    await this.tab.sees(name);
  }

  /** Opens the conversation of a contact in the list. */
  async open(name: string): Promise<void> {
    await this.row(name).click();
    await this.page.getByRole('region', { name: `Conversation with ${name}` }).waitFor();
  }

  async choose(mode: 'Reply' | 'Note'): Promise<void> {
    await this.page.getByRole('radio', { name: mode }).check();
  }

  /** Waits for a message in the open conversation. */
  async reads(text: string): Promise<void> {
    await this.timeline.getByText(text, { exact: true }).waitFor();
  }

  /** Waits for the sentence that confirms an action. */
  async confirms(text: string | RegExp): Promise<void> {
    await this.page.locator('.toasts').getByText(text).waitFor();
  }

  /** Names of the rows, from above. */
  names(): Promise<string[]> {
    return this.page.locator('.row > .name').allInnerTexts();
  }

  /** Texts of the messages in the open conversation, in their order. */
  texts(): Promise<string[]> {
    return this.timeline.locator('.message:not(.pending) .bubble').allInnerTexts();
  }
}
