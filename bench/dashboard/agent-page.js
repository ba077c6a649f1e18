import { setTimeout as delay } from 'node:timers/promises';

/** A person needs longer between two keys, and the next conversation is read meanwhile. */
const BETWEEN_KEYS_MS = 150;
const PATIENCE_MS = 60_000;

/** A tab with the dashboard, and a clock in it that counts from an input to the paint of its effect. */
export class AgentPage {
  constructor(page, url) {
    this.page = page;
    this.url = url;
    page.setDefaultTimeout(PATIENCE_MS);
  }

  static async open(context, url) {
    const page = await context.newPage();
    await page.addInitScript(watchPaints);
    const tab = new AgentPage(page, url);
    tab.devtools = await context.newCDPSession(page);
    await tab.devtools.send('Performance.enable');
    return tab;
  }

  async signIn(email, password) {
    await this.page.goto(`${this.url}/dashboard/inbox/all`);
    await this.page.getByLabel('E-mail', { exact: true }).fill(email);
    await this.page.getByLabel('Password', { exact: true }).fill(password);
    await this.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await this.page.locator('.row').first().waitFor();
  }

  /** Removes what the browser has stored of the dashboard, but not the sign-in. */
  async forget() {
    await this.devtools.send('Network.clearBrowserCache');
    await this.devtools.send('Storage.clearDataForOrigin', { origin: this.url, storageTypes: 'indexeddb' });
  }

  /** Waits until the dashboard has stored its snapshot for the next start. */
  async snapshot() {
    const hasSnapshot = () => this.page.evaluate(() => window.bench.hasSnapshot());
    while (!(await hasSnapshot())) await delay(100);
  }

  /**
   * Opens an address in a fresh document.
   * @returns ms until the first row, the newest message and the field for a reply are there, which a snapshot may bring,
   * and the requests that were sent before the responses with the list and the messages had arrived
   */
  async enter(path) {
    await this.page.goto('about:blank');
    await this.page.goto(`${this.url}/dashboard${path}`);
    const ms = await this.page.evaluate(() => window.bench.until(() => window.bench.isUsable()));
    const requests = await this.page.evaluate(async () => {
      const calls = () => performance.getEntriesByType('resource').filter(({ name }) => name.includes('/v1/'));
      const shown = () => calls().filter(({ name }) => /\/conversations\?|\/messages\?/.test(name));
      await window.bench.until(() => shown().length >= 2);
      const before = Math.max(
        ...shown()
          .slice(0, 2)
          .map(({ responseEnd }) => responseEnd),
      );
      return calls()
        .filter(({ startTime }) => startTime < before)
        .map(({ name }) => name);
    });
    return { ms, requests };
  }

  /** Presses keys one after the other. @returns ms from each to the paint after it */
  async pressEach(keys, pauseMs = BETWEEN_KEYS_MS) {
    await this.page.evaluate(() => window.bench.takeKeys());
    for (const key of keys) {
      await this.page.keyboard.press(key);
      await delay(pauseMs);
    }
    return this.page.evaluate(() => window.bench.takeKeys());
  }

  /** Clicks a row without hovering over it before. @returns ms until its newest message is painted */
  openRow(index) {
    return this.page.evaluate(number => window.bench.openRow(number), index);
  }

  /** Follows a link within the dashboard. @returns ms until the element is there */
  follow(path, selector) {
    return this.page.evaluate(([to, target]) => window.bench.follow(to, target), [`/dashboard${path}`, selector]);
  }

  /** Scrolls the list down until so many rows are loaded. @returns their number */
  loadRows(count) {
    return this.page.evaluate(number => window.bench.loadRows(number), count);
  }

  /** @returns ms between frames while the list is scrolled */
  scrollList(frames) {
    return this.page.evaluate(number => window.bench.scrollList(number), frames);
  }

  /** After a collection of garbage. @returns `{heapMB, nodes}` */
  async memory() {
    await this.devtools.send('HeapProfiler.collectGarbage');
    const metrics = await this.metrics();
    const nodes = await this.page.evaluate(() => document.querySelectorAll('*').length);
    return { heapMB: metrics.JSHeapUsedSize / 1e6, nodes };
  }

  /** @returns ms that the page's main thread has worked */
  async workedMs() {
    return (await this.metrics()).TaskDuration * 1_000;
  }

  async metrics() {
    const { metrics } = await this.devtools.send('Performance.getMetrics');
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  }
}

/** Runs in the page before its own scripts. */
function watchPaints() {
  const afterPaint = () =>
    new Promise(resolve => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now());
        port2.postMessage(null);
      });
    });
  let keys = [];
  addEventListener('keydown', ({ timeStamp }) => void afterPaint().then(now => keys.push(now - timeStamp)), {
    capture: true,
  });
  const rows = () => document.querySelector('.rows');
  const rowHeight = () => document.querySelector('.row').offsetHeight;
  const countRows = () => Math.round(document.querySelector('.canvas').offsetHeight / rowHeight());
  const until = async test => {
    while (!test()) await new Promise(resolve => requestAnimationFrame(resolve));
    return afterPaint();
  };
  const heading = () => document.querySelector('.thread h2')?.textContent;
  const hasMessage = () => document.querySelector('.thread [role=log] .message') !== null;
  window.bench = {
    until,
    isUsable: () =>
      document.querySelector('.row') !== null && hasMessage() && !!document.querySelector('.thread textarea'),
    async hasSnapshot() {
      const databases = await indexedDB.databases();
      const database = databases.find(({ name }) => name.startsWith('support-chat:dashboard'));
      if (!database) return false;
      const opening = indexedDB.open(database.name);
      const opened = await new Promise(resolve => (opening.onsuccess = () => resolve(opening.result)));
      const counting = opened.transaction('snapshots').objectStore('snapshots').count();
      const entries = await new Promise(resolve => (counting.onsuccess = () => resolve(counting.result)));
      opened.close();
      return entries > 0;
    },
    takeKeys: () => keys.splice(0),
    async openRow(index) {
      rows().scrollTop = index * rowHeight();
      await until(() => document.querySelector(`[aria-posinset="${index + 1}"]`) !== null);
      const row = document.querySelector(`[aria-posinset="${index + 1}"]`);
      const name = row.querySelector('.name').textContent;
      const start = performance.now();
      row.click();
      return (await until(() => heading() === name && hasMessage())) - start;
    },
    async follow(path, selector) {
      const start = performance.now();
      history.pushState(null, '', path);
      return (await until(() => document.querySelector(selector) !== null)) - start;
    },
    async loadRows(count) {
      while (countRows() < count) {
        rows().scrollTop = rows().scrollHeight;
        await new Promise(resolve => requestAnimationFrame(resolve));
      }
      return countRows();
    },
    async scrollList(frames) {
      const times = [];
      let last = await new Promise(resolve => requestAnimationFrame(resolve));
      for (let frame = 0; frame < frames; frame += 1) {
        rows().scrollTop -= 5 * rowHeight();
        const now = await new Promise(resolve => requestAnimationFrame(resolve));
        times.push(now - last);
        last = now;
      }
      return times;
    },
  };
}
