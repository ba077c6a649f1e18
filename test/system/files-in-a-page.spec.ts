import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { startChromium } from '../support/chromium.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { upload } from '../support/files.js';
import type { Desk } from '../support/world.js';
import { World } from '../support/world.js';

const SCRIPT = '<script>top.postMessage("ran", "*"); document.title = "ran"</script>';

let world: World;
let desk: Desk;
let shop: Server;
let browser: Browser;
let page: Page;

/** The URL of an uploaded file on the running service. */
async function urlOf(bytes: Buffer | string, name: string): Promise<string> {
  const { pathname, search } = new URL((await upload(desk.owner.api, bytes, name)).data.url as string);
  return `${world.app.url}${pathname}${search}`;
}

/** Opens a customer's page, which is another site than the service's. */
async function openShop(body: string): Promise<void> {
  shop.removeAllListeners('request').on('request', (_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<!doctype html><script>ran = 0; onmessage = () => ran++</script>${body}`);
  });
  await page.goto(`http://localhost:${(shop.address() as AddressInfo).port}/`);
}

describeInChromium('A page of another origin in Chromium', () => {
  beforeAll(async () => {
    world = await World.start();
    desk = await world.desk();
    shop = createServer();
    await new Promise<void>(resolve => shop.listen(0, 'localhost', resolve));
    browser = await startChromium();
    page = await browser.newPage();
  });
  afterAll(async () => {
    await browser.close();
    shop.closeAllConnections();
    await new Promise(resolve => shop.close(resolve));
    await world.stop();
  });

  it('It shows a picture and its thumbnail, and reads a file.', async () => {
    const picture = await sharp({ create: { width: 900, height: 600, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
    const { url, thumbnail_url } = (await upload(desk.owner.api, picture, 'teal.png')).data as Record<string, string>;
    const urls = [url, thumbnail_url].map(given => {
      const { pathname, search } = new URL(given ?? '');
      return `${world.app.url}${pathname}${search}`;
    });
    await openShop(urls.map(src => `<img src="${src}">`).join(''));
    const widths = await page.$$eval('img', images =>
      images.map(image => (image as { naturalWidth?: number }).naturalWidth),
    );
    expect(widths).toEqual([900, 480]);
    const note = await urlOf('Hello', 'note.txt');
    expect(await page.evaluate(async from => (await fetch(from)).text(), note)).toBe('Hello');
  });

  it('No file runs as a script, a style or a frame of it.', async () => {
    const [script, html, polyglot] = [
      await urlOf('top.postMessage("ran", "*"); ran = 100', 'a.js'),
      await urlOf(`<!doctype html>${SCRIPT}`, 'a.html'),
      await urlOf(Buffer.from('GIF89a/*\0\0\0*/=1;top.postMessage("ran", "*")'), 'a.gif'),
    ];
    const [svg, pdf] = [
      await urlOf(`<svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}</svg>`, 'a.svg'),
      await urlOf(`%PDF-1.7\n${SCRIPT}`, 'a.pdf'),
    ];
    const files = [script, html, polyglot, svg, pdf];
    await openShop(
      files
        .map(src => `<script src="${src}"></script><iframe src="${src}"></iframe><object data="${src}"></object>`)
        .join(''),
    );
    // the control: the page would hear of a script
    await page.evaluate('setTimeout(() => postMessage("control", "*"))');
    await page.waitForFunction('ran > 0');
    expect(await page.evaluate('ran')).toBe(1);
  });

  it('A file that is opened itself is downloaded, or shown without running.', async () => {
    const html = await urlOf(`<!doctype html>${SCRIPT}`, 'a.html');
    const [saved] = await Promise.all([page.waitForEvent('download'), page.goto(html).catch(() => null)]);
    expect(saved.suggestedFilename()).toBe('a.html');
    const polyglot = await urlOf(Buffer.from(`GIF89a\x01\0\x01\0\0\0\0${SCRIPT}`), 'a.html');
    await page.goto(polyglot).catch(() => null);
    expect(await page.title()).not.toBe('ran');
    expect(await page.evaluate('window.origin')).toBe('null');
  });
});
