import type { Page } from 'playwright-core';
import { expect } from '@jest/globals';
import { PASSWORD } from '../../support/unique.js';
import { accessibilityViolations } from './accessibility.js';
import type { People } from './test-browser.js';
import type { Tab } from './tab.js';

/** Chromium itself logs every call and socket that fails, whatever the page does about it. */
const REFUSED_CALL = /^Failed to load resource: .*\/v1\/|^WebSocket connection to /;

/** An agent's tab with the dashboard. Steps find everything by its name, as people and screen readers do. */
export class AgentTab {
  readonly page: Page;

  private constructor(private readonly tab: Tab) {
    this.page = tab.page;
  }

  /** @param address of the dashboard, with a link's fragment @param person whose browser profile it is */
  static async open(people: People, address: string, person = 'agent'): Promise<AgentTab> {
    return new AgentTab(await people.open(address, person));
  }

  /** Waits for the heading of a screen. */
  async sees(heading: string | RegExp): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: heading }).waitFor();
  }

  /** Waits for a text that is read out: a banner. */
  async reads(text: string | RegExp): Promise<void> {
    await this.page.getByRole('alert').or(this.page.getByRole('status')).filter({ hasText: text }).waitFor();
  }

  async fill(values: Record<string, string>): Promise<void> {
    for (const [label, value] of Object.entries(values)) await this.field(label).fill(value);
  }

  field(label: string) {
    return this.page.getByLabel(label, { exact: true });
  }

  async press(name: string): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click();
  }

  async signIn(email: string, password = PASSWORD): Promise<void> {
    await this.fill({ 'E-mail': email, Password: password });
    await this.press('Sign in');
  }

  /** Signs in where the browser's language is German. */
  async signInInGerman(email: string): Promise<void> {
    await this.fill({ 'E-Mail': email, Passwort: PASSWORD });
    await this.press('Anmelden');
  }

  /** Waits for the dashboard of a member. */
  async isSignedIn(name: string, workspace = 'Desk'): Promise<void> {
    await this.page.getByRole('button', { name: `Account: ${name}`, exact: true }).waitFor();
    await this.page.locator('header .workspace', { hasText: workspace }).waitFor();
  }

  async choose(entry: string): Promise<void> {
    await this.page.getByRole('button', { name: /^Account: / }).click();
    await this.page.getByRole('menu').getByText(entry, { exact: true }).click();
  }

  /** Errors in the console, violations of the Content-Security-Policy among them, besides refused calls. */
  get errors(): string[] {
    return this.tab.errors.filter(text => !REFUSED_CALL.test(text));
  }

  /** Checks a screen in light and dark against the rules of accessibility. */
  async isAccessible(screen: string): Promise<void> {
    for (const colorScheme of ['dark', 'light'] as const) {
      await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect([screen, colorScheme, await accessibilityViolations(this.page)]).toEqual([screen, colorScheme, []]);
    }
  }

  /** Checks that no address of this tab, its history or its storage contains a secret. */
  async hasForgotten(secret: string): Promise<void> {
    const storage = await this.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(JSON.stringify([this.page.url(), await this.history(), storage])).not.toContain(secret);
  }

  /** Addresses of the tab's history. */
  private async history(): Promise<string[]> {
    const session = await this.page.context().newCDPSession(this.page);
    try {
      const { entries } = await session.send('Page.getNavigationHistory');
      return entries.map(({ url }) => url);
    } finally {
      await session.detach();
    }
  }
}
