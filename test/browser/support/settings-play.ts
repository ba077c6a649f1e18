import { expect } from '@jest/globals';
import type { BrowserContextOptions, Locator } from 'playwright-core';
import type { Json } from '../../support/json.js';
import { callApi, type OutsideDesk } from '../../support/outside.js';
import { PASSWORD, unique } from '../../support/unique.js';
import { AgentTab } from './agent-tab.js';
import type { People, TestBrowser } from './test-browser.js';

/** Opens a screen as a member, the owner by default, who signs in with its password. */
export type OpenScreen = (screen: string, email?: string) => Promise<AgentTab>;

/**
 * Runs a test at the settings, after which no tab may have an error in its console.
 * @param address to which the paths of the screens are added
 * @param owner e-mail
 */
export function playSettings(
  browser: TestBrowser,
  { address, owner }: { address: string; owner: string },
  test: (open: OpenScreen, people: People) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  return browser.run(async people => {
    const tabs: AgentTab[] = [];
    const open: OpenScreen = async (screen, email = owner) => {
      const tab = await AgentTab.open(people, `${address}${screen}`, email);
      tabs.push(tab);
      await tab.signIn(email);
      await tab.page.getByRole('button', { name: /^Account: / }).waitFor();
      return tab;
    };
    await test(open, people);
    for (const tab of tabs) expect(tab.errors).toEqual([]);
  }, options);
}

/** Adds a member that signs in with the usual password. */
export function addMember(
  url: string,
  { key }: OutsideDesk,
  name: string,
  role: string,
  channelIds?: string[],
): Promise<Json> {
  const email = `${unique('member')}@example.com`;
  const body = { name, email, role, password: PASSWORD, ...(channelIds && { channel_ids: channelIds }) };
  return callApi('POST', `${url}/v1/workspace/members`, key, body);
}

export const dialog = (tab: AgentTab): Locator => tab.page.getByRole('dialog');

export const pressIn = (tab: AgentTab, name: string): Promise<void> =>
  dialog(tab).getByRole('button', { name, exact: true }).click();
