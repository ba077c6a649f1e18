import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { startChromium } from '../../support/chromium.js';
import { Tab } from './tab.js';

/** Time (ms) for one step of a test, on a machine that is ten times slower than a good one. */
const STEP_MS = 60_000;

/** One Chromium per spec file. Each test has people of its own. */
export class TestBrowser {
  private constructor(private readonly browser: Browser) {}

  static async start(): Promise<TestBrowser> {
    return new TestBrowser(await startChromium());
  }

  stop(): Promise<void> {
    return this.browser.close();
  }

  /**
   * Runs a test with empty browser profiles. If it fails, a picture of each open tab is kept, whose path is printed.
   * @param options of every profile, such as `viewport`, `colorScheme` or `locale`
   */
  async run(test: (people: People) => Promise<void>, options: BrowserContextOptions = {}): Promise<void> {
    const people = new People(this.browser, options);
    try {
      await test(people);
    } catch (error) {
      await people.describeFailure();
      throw error;
    } finally {
      await people.leave();
    }
  }
}

/** The browser profiles of one test: each person has own cookies and storage, and the tabs of a person share them. */
export class People {
  private readonly contexts = new Map<string, Promise<BrowserContext>>();
  private readonly tabs: Tab[] = [];

  constructor(
    private readonly browser: Browser,
    private readonly options: BrowserContextOptions,
  ) {}

  /** Opens an address in a new tab. @param person name of the profile, which is made when it is first used */
  async open(url: string, person = 'visitor'): Promise<Tab> {
    const tab = await this.openEmpty(person);
    await tab.page.goto(url);
    return tab;
  }

  /** Opens a tab without a page, to prepare it with `page.addInitScript` or `page.route`. */
  async openEmpty(person = 'visitor'): Promise<Tab> {
    const tab = new Tab(await (await this.profile(person)).newPage());
    this.tabs.push(tab);
    return tab;
  }

  /** The profile of a person, for `setOffline`, permissions and storage. */
  profile(person = 'visitor'): Promise<BrowserContext> {
    const existing = this.contexts.get(person);
    if (existing) return existing;
    const context = this.browser.newContext(this.options).then(created => {
      created.setDefaultTimeout(STEP_MS);
      return created;
    });
    this.contexts.set(person, context);
    return context;
  }

  async describeFailure(): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'support-chat-screenshots-'));
    for (const [index, { page, errors }] of this.tabs.entries()) {
      if (page.isClosed()) continue;
      const path = join(folder, `tab-${index + 1}.png`);
      const taken = await page.screenshot({ path, timeout: STEP_MS / 4 }).then(
        () => path,
        (error: Error) => `none: ${error.message}`,
      );
      process.stderr.write(`screenshot of ${page.url()}: ${taken}\n`);
      for (const error of errors) process.stderr.write(`  error in its console: ${error}\n`);
    }
  }

  async leave(): Promise<void> {
    for (const context of this.contexts.values()) await (await context).close();
  }
}
