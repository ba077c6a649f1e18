import type { Locator, Page } from 'playwright-core';
import { callApi } from '../../support/outside.js';
import { AgentTab } from './agent-tab.js';
import type { People } from './test-browser.js';

/** A member that opens a view of the inbox. */
export interface InboxEntry {
  /** Address of the service. */
  url: string;
  /** API key of the workspace. */
  key: string;
  email: string;
  name: string;
  /** Last segment of the view's address. */
  view: string;
  /** Channels that the session is limited to. */
  channelIds?: readonly string[];
}

/** An agent at the inbox. Everything is found by its name, as people and screen readers do. */
export class AgentInbox {
  constructor(readonly tab: AgentTab) {}

  /** Opens the inbox by a ticket of single sign-on, in the browser profile of that name. */
  static async enter(people: People, { url, key, email, name, view, channelIds }: InboxEntry): Promise<AgentInbox> {
    const ticket = { email, ...(channelIds && { channel_ids: channelIds }) };
    const { redirect_url: link } = await callApi('POST', `${url}/v1/auth/sso/ticket`, key, ticket);
    const tab = await AgentTab.open(people, `${url}/dashboard/inbox/${view}${new URL(link as string).hash}`, name);
    await tab.isSignedIn(name);
    return new AgentInbox(tab);
  }

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

  /** Waits until the service has all messages of the open conversation. */
  async sent(): Promise<void> {
    await this.timeline.locator('.pending').first().waitFor({ state: 'detached' });
  }

  /** Waits for the sentence that confirms an action. */
  async confirms(text: string | RegExp): Promise<void> {
    await this.page.locator('.toasts').getByText(text).waitFor();
  }

  /** Names of the rows, from above. */
  names(): Promise<string[]> {
    return this.page.locator('.row > .name').allInnerTexts();
  }

  /** Texts of all messages in the open conversation, read from the beginning to the end, as only a part is drawn. */
  async allTexts(): Promise<string[]> {
    const older = this.button('Show older messages');
    while (await older.isVisible()) await older.click({ timeout: 3_000 }).catch(() => undefined);
    return this.page.locator('.timeline').evaluate(async viewport => {
      const texts = new Map<Element, string>();
      const isAtEnd = () => viewport.scrollTop + viewport.clientHeight > viewport.scrollHeight - 2;
      for (viewport.scrollTop = 0; ; viewport.scrollTop += viewport.clientHeight) {
        await new Promise(resolve => setTimeout(resolve, 50));
        for (const bubble of viewport.querySelectorAll<HTMLElement>('.message:not(.pending) .bubble')) {
          texts.set(bubble, bubble.innerText);
        }
        if (isAtEnd()) return [...texts.values()];
      }
    });
  }

  /** Texts of the drawn messages in the open conversation, in their order. */
  texts(): Promise<string[]> {
    return this.timeline.locator('.message:not(.pending) .bubble').allInnerTexts();
  }
}
