/**
 * Two suites with one configuration. `npm test` runs the specs of one process. `npm run test:system` sets TEST_SUITE and
 * runs test/system and test/browser: specs that start services, servers, balancers, browsers, builds and images as processes
 * of their own, and long races, random plays and load. Many specs wait more than they compute, so there are more workers
 * than cores.
 * `runtime` and `testEnvironment` make a worker load packages and src once, for all its spec files.
 */
const isSystem = process.env.TEST_SUITE === 'system';

/** Views of the clients. */
const PREACT = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', tsx: true },
    transform: { react: { runtime: 'automatic', importSource: 'preact' } },
  },
};

export default {
  rootDir: '.',
  roots: isSystem
    ? ['<rootDir>/test/system', '<rootDir>/test/browser']
    : ['<rootDir>/test', '<rootDir>/src', '<rootDir>/clients'],
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '/dist/',
    '/test/architecture/planted/',
    ...(isSystem ? [] : ['/test/system/', '/test/browser/']),
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.data'],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: { '^.+\\.ts$': '@swc/jest', '^.+\\.tsx$': ['@swc/jest', PREACT] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  runtime: '<rootDir>/test/support/jest/runtime.js',
  testEnvironment: '<rootDir>/test/support/jest/environment.js',
  setupFilesAfterEnv: ['<rootDir>/test/support/jest/retries.js'],
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
  reporters: ['default', '<rootDir>/test/support/summary-reporter.js'],
  testSequencer: '<rootDir>/test/support/slow-first.js',
  // a test in browsers takes ten seconds on a good machine, and many times that on a slow one
  testTimeout: isSystem ? 300_000 : 90_000,
  maxWorkers: isSystem ? 3 : 4,
  workerIdleMemoryLimit: '1.5GB',
};
