import { spawnSync } from 'node:child_process';
import { expect, it, jest } from '@jest/globals';
import { checkout } from '../support/service-process.js';

jest.setTimeout(120_000);

it('A spec file that fails while services run does not keep Jest from ending', () => {
  const program = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', '--runInBand'];
  const { status, signal, stdout } = spawnSync(
    process.execPath,
    [...program, '--testMatch', '**/test/system/planted/leaves-running.ts'],
    { cwd: checkout, env: { ...process.env, TEST_SUITE: 'system' }, encoding: 'utf8', timeout: 100_000 },
  );
  expect({ status, signal }).toEqual({ status: 1, signal: null });
  expect(stdout).toContain('A test fails while two services and their database run');
  expect(stdout).toContain('0 passed, 1 failed');
});
