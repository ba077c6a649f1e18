import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Ends a run with the failures, the unstable and the skipped tests, and a one-line summary. */
export default class SummaryReporter {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  onRunComplete(_contexts, results) {
    for (const suite of results.testResults) this.report(relative(this.rootDir, suite.testFilePath), suite);
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    console.log(`${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  }

  report(file, { testResults, failureMessage }) {
    const red = testResults.filter(({ status }) => status === 'failed');
    for (const { fullName, failureMessages } of red) {
      console.log(`FAILED: ${file} › ${fullName}\n${quoted(failureMessages.join('\n'))}`);
    }
    if (failureMessage && red.length === 0) console.log(`FAILED: ${file}\n${quoted(failureMessage)}`);
    for (const { fullName, status, retryReasons = [] } of testResults) {
      if (status === 'passed' && retryReasons.length > 0) {
        console.log(`unstable: ${file} › ${fullName}\n${quoted(retryReasons.join('\n'))}`);
      }
      if (status === 'pending' || status === 'todo') console.log(`skipped: ${file} › ${fullName}`);
    }
  }
}

/** The failure message without its stack, prefixed so that it can be found in a long log. */
function quoted(message) {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter(line => line.trim() !== '' && !/^\s+at /.test(line));
  return lines
    .slice(0, 12)
    .map(line => `  | ${line.slice(0, 200)}`)
    .join('\n');
}
