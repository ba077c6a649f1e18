import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';
import { debianProgram, findProgram } from './debian.js';
import { stoppedAtEnd } from './jest/leftovers.js';

/**
 * CHROMIUM names another Chromium than Debian's. The one without windows plays the same pages with a third less processor
 * time.
 */
const program = process.env.CHROMIUM ?? findProgram('chromium-headless-shell') ?? debianProgram('chromium', 'chromium');

/** True if Chromium is installed. */
export const hasChromium = program !== null;

/** Starts Chromium. Its sandbox does not work for root, and containers have little shared memory. */
export async function startChromium(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: program ?? 'chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  stoppedAtEnd(() => browser.close());
  return browser;
}
