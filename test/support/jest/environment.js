import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { stopLeftovers } from './leftovers.js';

/** Runs spec files in the worker's own realm, and restores its globals after each. */
export default class SharedEnvironment {
  global = globalThis;
  fakeTimers = null;
  moduleMocker = new ModuleMocker(globalThis);

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.restores = [globalThis, process].map(keep);
    this.variables = { ...process.env };
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    try {
      await stopLeftovers();
    } finally {
      for (const restore of this.restores) restore();
      for (const name of Object.keys(process.env)) if (!(name in this.variables)) delete process.env[name];
      Object.assign(process.env, this.variables);
    }
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
}

/** Returns a function that puts changed properties back. It keeps new ones: shared packages have some. */
function keep(object) {
  const before = Object.getOwnPropertyDescriptors(object);
  return () => {
    for (const key of Reflect.ownKeys(before)) {
      const { value, get } = Object.getOwnPropertyDescriptor(object, key) ?? {};
      if (value !== before[key].value || get !== before[key].get) Object.defineProperty(object, key, before[key]);
    }
  };
}
