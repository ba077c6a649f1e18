import { afterEach, beforeEach, jest } from '@jest/globals';
import { FakeBrowser } from './fake-browser.js';
import { FakeEventLog } from './fake-event-log.js';

/** The browser of the present test, whose time stands still. */
export let browser: FakeBrowser;
/** The service's events in the present test. */
export let log: FakeEventLog;

beforeEach(() => {
  jest.useFakeTimers();
  browser = new FakeBrowser();
  log = new FakeEventLog();
});
afterEach(() => browser.stop());

/** Lets time pass. */
export const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
