import { spawnSync } from 'node:child_process';
import { expect, it, jest } from '@jest/globals';
import { checkout } from '../support/service-process.js';

jest.setTimeout(120_000);

function runPlanted(name: string) {
  const program = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', '--runInBand'];
  const { status, signal, stdout } = spawnSync(
    process.execPath,
    [...program, '--testMatch', `**/test/system/planted/${name}.ts`],
    { cwd: checkout, env: { ...process.env, TEST_SUITE: 'system' }, encoding: 'utf8', timeout: 100_000 },
  );
  expect({ status, signal }).toEqual({ status: 1, signal: null });
  return stdout;
}

it('A spec file that fails while services run does not keep Jest from ending', () => {
  const stdout = runPlanted('leaves-running');
  expect(stdout).toContain('A test fails while two services and their database run');
  expect(stdout).toContain('0 passed, 1 failed');
});

it('Errors that no test awaits fail the test in which they occur, and only this one', () => {
  const stdout = runPlanted('late-errors');
  expect(stdout).toContain('1 passed, 2 failed');
  expect(stdout).toMatch(/FAILED: .*A test fails by a rejection that nothing handles\n *\| Error: the rejection/);
  expect(stdout).toMatch(/FAILED: .*A test fails by an error in a timer\n *\| Error: the timer/);
});
