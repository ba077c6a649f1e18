/** One runner for every suite; each file is a room of policy sentences, run against real dependencies. */
export default {
  rootDir: '.',
  roots: ['<rootDir>/test', '<rootDir>/src', '<rootDir>/clients'],
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/test/architecture/planted/'],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.data'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
  reporters: ['default', '<rootDir>/test/support/summary-reporter.js'],
  testSequencer: '<rootDir>/test/support/slow-first.js',
  testTimeout: 30_000,
  maxWorkers: 2,
  workerIdleMemoryLimit: '1GB',
};
