import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasChromium } from '../support/chromium.js';
import type { TestDatabase } from '../support/database.js';
import { emptyDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { rememberSecrets } from '../support/known-secrets.js';
import { checkout, ensureBuilt } from '../support/service-process.js';
import { ensureWidgetBuilt } from '../support/built-widget.js';
import { TestBrowser } from './support/test-browser.js';
import { Visitor } from './support/visitor.js';

(hasChromium ? describe : describe.skip)('The shop page of `npm run demo`', () => {
  let browser: TestBrowser;
  let database: TestDatabase;
  let folder: string;
  let demo: ChildProcess;
  let ended: Promise<unknown>;
  let output = '';

  beforeAll(async () => {
    ensureBuilt();
    ensureWidgetBuilt();
    folder = mkdtempSync(join(tmpdir(), 'support-chat-demo-'));
    [database, browser] = await Promise.all([emptyDatabase(), TestBrowser.start()]);
    const { PATH } = process.env;
    const env = { PATH, BCRYPT_COST: '4', DATA_DIR: folder, DATABASE_URL: database.url, PORT: '0' };
    const argv = [join(checkout, 'dist/bin/demo/main.js'), '--speed', '0', '--limit', '1'];
    demo = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    demo.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
    ended = new Promise(resolve => demo.once('close', resolve));
  }, 240_000);
  afterAll(async () => {
    demo.kill('SIGTERM');
    await Promise.all([ended, browser.stop()]);
    rememberSecrets(output);
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('The demo prints the address of its shop first; a visitor is greeted there, and the agent of the chat answers.', () =>
    browser.run(
      async people => {
        const address = await eventually(() => /http:\/\/localhost:\d+\S*/.exec(output)?.[0], 120_000);
        expect(new URL(address).pathname).toBe('/demo');
        const visitor = await Visitor.arrive(people, address);
        await visitor.page.locator('support-chat .welcome').getByText('Ask us anything').click();
        await visitor.write('Hello, where is my parcel?');
        await visitor.log.locator('.typing').waitFor();
        await visitor.reads('it sits in the Leeds depot');
        const sender = await visitor.log.locator('.sender').innerText();
        expect(['Olivia', 'Sam', 'Grace']).toContain(sender);
        expect(await visitor.page.locator('support-chat .head p').innerText()).toBe(`You are talking to ${sender}`);
        expect(visitor.tab.errors).toEqual([]);
        expect(await visitor.violations()).toEqual([]);
      },
      { viewport: { width: 1280, height: 800 } },
    ));
});
