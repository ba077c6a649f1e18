import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';
import { debianProgram } from './debian.js';
import { stoppedAtEnd } from './jest/leftovers.js';

const program = debianProgram('chromium', 'chromium');

/** True if Chromium is installed. */
export const hasChromium = program !== null;

/** Starts Debian's Chromium. Its sandbox does not work for root. */
export async function startChromium(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: program ?? 'chromium', args: ['--no-sandbox'] });
  stoppedAtEnd(() => browser.close());
  return browser;
}
