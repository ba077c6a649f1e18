import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { AgentPage } from './dashboard/agent-page.js';
import { assertBuilt, startStage } from './dashboard/stage.js';
import { quantile } from './measure/statistics.js';
import { whenCutShort } from './processes.js';

/**
 * `npm run bench:dashboard [-- --quick] [--gate] [--soak MINUTES]`: the dashboard in Chromium, with 100,000 conversations,
 * one of which has 10,000 messages (`--quick`: a tenth). Writes `bench/results/dashboard.md` and `.json`. Times are
 * reported; with `--gate`, it exits with 1 when a count (requests, elements, memory) is above its limit. `--soak` measures
 * only how the memory grows while 20 events a second arrive. CHROMIUM names another Chromium than Debian's.
 */
const { values: wants } = parseArgs({
  options: { quick: { type: 'boolean' }, gate: { type: 'boolean' }, soak: { type: 'string' } },
});
const EMAIL = 'olivia@example.com';
const PASSWORD = 'a horse, a battery and a staple';
const STAGE = wants.quick ? { conversations: 10_000, messages: 1_000 } : { conversations: 100_000, messages: 10_000 };
const EVENTS = 1_000;
const ROWS = wants.quick ? 2_000 : 10_000;
const TURNS = wants.quick ? 5 : 20;
const KEYS = wants.quick ? 20 : 60;
const FRAMES = 180;
const EVENTS_PER_SECOND = 20;
/** An access token is valid for 15 minutes. */
const TOKEN_SECONDS = 600;
/** Until then the caches fill. */
const WARM_MINUTES = 5;
/** A frame that takes longer than one and a half was dropped. */
const DROPPED_MS = 25;

const figures = [];

/** @param limit above which a count fails, or the goal of a time */
function report(name, value, limit, { unit = 'ms', isCount = false } = {}) {
  const figure = { name, value: Math.round(value * 10) / 10, limit, unit, isCount };
  figures.push(figure);
  console.log(`${name}: ${figure.value} ${unit} (${isCount ? 'at most' : 'goal'} ${limit})`);
}

function reportTimes(name, times, { p50, p95 }) {
  if (p50 !== undefined) report(`${name}, p50`, quantile(times, 0.5), p50);
  report(`${name}, p95`, quantile(times, 0.95), p95);
}

const count = unit => ({ unit, isCount: true });

async function measure(context, stage) {
  const tab = await AgentPage.open(context, stage.url);
  await tab.signIn(EMAIL, PASSWORD);
  const path = `/inbox/all/${stage.longId}`;
  const [cold, warm] = [[], []];
  for (let turn = 0; turn < TURNS; turn += 1) {
    await tab.forget();
    cold.push(await tab.enter(path));
    await tab.snapshot();
    warm.push(await tab.enter(path));
  }
  report(
    'usable inbox, cold, p50',
    quantile(
      cold.map(({ ms }) => ms),
      0.5,
    ),
    600,
  );
  report(
    'usable inbox, warm, p50',
    quantile(
      warm.map(({ ms }) => ms),
      0.5,
    ),
    300,
  );
  const most = [...cold, ...warm].map(({ requests }) => requests).sort((a, b) => b.length - a.length)[0];
  console.log(most.map(name => `  ${name.replace(/.*\/v1/, '/v1')}`).join('\n'));
  report('requests until it is usable', most.length, 5, count('requests'));

  reportTimes('key to paint, next conversation', await tab.pressEach(Array(KEYS).fill('j')), { p50: 20, p95: 50 });
  await tab.page.keyboard.press('r');
  reportTimes('key to paint, typing', await tab.pressEach([...'where is it '.repeat(KEYS / 10)], 30), {
    p50: 20,
    p95: 50,
  });
  await tab.page.keyboard.press('Escape');

  const opened = [];
  for (let turn = 0; turn < TURNS; turn += 1) opened.push(await tab.openRow(100 + turn * 7));
  reportTimes('a conversation opens, cold', opened, { p95: 250 });

  const size = STAGE.messages.toLocaleString('en');
  report(`a conversation of ${size} messages opens`, await tab.follow(path, '.thread [role=log] .message'), 250);
  const linked = `#message-${stage.oldMessageId}`;
  report(
    'a link to its tenth message is shown',
    await tab.follow(`${path}?message=${stage.oldMessageId}`, linked),
    5_000,
  );
  report(`elements with ${size} messages`, (await tab.memory()).nodes, 3_000, count('elements'));

  await tab.enter(path);
  report('rows in the list', await tab.loadRows(ROWS), STAGE.conversations, count('rows'));
  const frames = await tab.scrollList(FRAMES);
  reportTimes('a frame while scrolling', frames, { p95: 20 });
  report('dropped frames', (frames.filter(ms => ms > DROPPED_MS).length / FRAMES) * 100, 2, { unit: '%' });
  await tab.pressEach(Array(50).fill('k'), 60);
  const { heapMB, nodes } = await tab.memory();
  report('heap with these rows and 50 conversations', heapMB, 60, count('MB'));
  report('elements with these rows', nodes, 3_000, count('elements'));

  await measureEvents(tab, context, stage);
}

/** Events that wait in an open connection, as after a hole in the network, arrive at once. */
async function measureEvents(tab, context, { made, token, longId }) {
  await delay(1_000);
  await context.setOffline(true);
  const send = index => made('POST', `/v1/conversations/${longId}/messages`, { content: `Event ${index}` }, token);
  for (let index = 0; index < EVENTS; index += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, offset) => send(index + offset)));
  }
  const before = await tab.workedMs();
  await context.setOffline(false);
  await tab.page
    .locator('.thread [role=log]')
    .getByText(`Event ${EVENTS - 1}`, { exact: true })
    .waitFor({ state: 'attached' });
  await delay(500);
  report('work of the page for 1,000 events that arrive at once', (await tab.workedMs()) - before, 1_000);
}

/** An agent goes through the inbox while events arrive. */
async function soak(context, { url, longId, made, token: first }, minutes) {
  let token = first;
  const tab = await AgentPage.open(context, url);
  await tab.signIn(EMAIL, PASSWORD);
  await tab.enter(`/inbox/all/${longId}`);
  const { items } = await made('GET', '/v1/conversations?limit=200', undefined, token);
  const ids = items.map(({ id }) => id);
  let sent = 0;
  const act = () => {
    const id = ids[sent % ids.length];
    sent += 1;
    if (sent % 4 === 0) return made('PATCH', `/v1/conversations/${id}`, { priority: sent % 8 ? 'high' : 'low' }, token);
    return made('POST', `/v1/conversations/${id}/messages`, { content: `Event ${sent}` }, token);
  };
  const heaps = [];
  const start = performance.now();
  for (let second = 1; second <= minutes * 60; second += 1) {
    if (second % TOKEN_SECONDS === 0) {
      ({ token } = await made('POST', '/v1/auth/login', { email: EMAIL, password: PASSWORD }));
    }
    await Promise.all(Array.from({ length: EVENTS_PER_SECOND }, act));
    if (second % 10 === 0) await tab.page.keyboard.press(second % 600 < 300 ? 'j' : 'k');
    if (second % 60 === 0) {
      const { heapMB, nodes } = await tab.memory();
      heaps.push(heapMB);
      console.log(`minute ${second / 60}: ${heapMB.toFixed(1)} MB, ${nodes} elements`);
    }
    await delay(Math.max(0, start + second * 1_000 - performance.now()));
  }
  console.log(`${sent} events in ${minutes} minutes`);
  const warm = heaps[Math.min(WARM_MINUTES, heaps.length) - 1];
  report(`growth of the heap from minute ${WARM_MINUTES} on`, heaps.at(-1) - warm, 5, count('MB'));
  report('elements at the end', (await tab.memory()).nodes, 3_000, count('elements'));
}

function write() {
  const folder = resolve(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  const rows = figures.map(({ name, value, unit, limit }) => `| ${name} | ${value} ${unit} | ${limit} |`);
  const page = ['| Figure | Value | Goal |', '| --- | ---: | ---: |', ...rows].join('\n');
  writeFileSync(resolve(folder, 'dashboard.md'), `# The dashboard\n\n${page}\n`);
  writeFileSync(
    resolve(folder, 'dashboard.json'),
    `${JSON.stringify({ madeAt: new Date().toISOString(), figures }, null, 2)}\n`,
  );
}

assertBuilt(existsSync);
const stage = await startStage(STAGE);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
const leave = async () => {
  await browser.close();
  await stage.stop();
};
whenCutShort(leave);
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  if (wants.soak === undefined) await measure(context, stage);
  else await soak(context, stage, Number(wants.soak));
  write();
} finally {
  await leave();
}
const exceeded = figures.filter(({ isCount, value, limit }) => isCount && value > limit);
for (const { name } of exceeded) console.error(`above its limit: ${name}`);
if (wants.gate && exceeded.length > 0) process.exitCode = 1;
