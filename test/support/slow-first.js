import Sequencer from '@jest/test-sequencer';

/** Slow spec files, started first: started last, one would keep a worker busy after the others are done. */
const SLOW = [
  ...['start-and-stop', 'resilience', 'rolling-restart', 'image', 'new-module'],
  ...['model', 'locked-rows', 'sso-races', 'attacks', 'documents', 'request-memory'],
];

export default class SlowFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => SLOW.findIndex(name => path.endsWith(`/${name}.spec.ts`));
    const slow = tests.filter(test => rank(test) !== -1).sort((a, b) => rank(a) - rank(b));
    return [...slow, ...super.sort(tests.filter(test => rank(test) === -1))];
  }
}
