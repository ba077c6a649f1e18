import { describe } from '@jest/globals';
import { hasChromium } from './chromium.js';
import { hasFleet } from './fleet.js';

// Without the programs the tests are skipped; `debianProgram` prints which one is missing.

export const describeInChromium = hasChromium ? describe : describe.skip;

/** For tests with two instances behind nginx. */
export const describeWithFleetInChromium = hasFleet ? describeInChromium : describe.skip;
