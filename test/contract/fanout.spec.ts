import { afterAll, beforeAll } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MemoryFanout } from '../../src/platform/fanout/fanout.memory.js';
import { fanoutSuite } from './fanout.suite.js';

// what listeners throw is logged, and some throw on purpose
beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(['error']));

fanoutSuite({
  name: 'MemoryFanout',
  instances: () => Promise.resolve([new MemoryFanout()]),
  subscribed: () => Promise.resolve(),
});
