import Sequencer from '@jest/test-sequencer';

/** Slow spec files, started first: started last, one would keep a worker busy after the others are done. */
const SLOW = [
  ...['new-module', 'start-and-stop', 'resilience', 'image', 'rolling-restart', 'embedded-restart', 'demo-command'],
  ...['assignment-races', 'model', 'sso-races'],
  ...['assignment', 'follow-ups', 'bot-servers', 'locked-rows', 'stalled-readers', 'tags', 'members'],
  ...['hostile', 'route-walk', 'uploads', 'report-backfills', 'search-consumer', 'documents', 'integration'],
  ...['presence-instances', 'conversations', 'event-consumers', 'mail-queue', 'pressure', 'permissions', 'instances'],
];

export default class SlowFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => SLOW.findIndex(name => path.endsWith(`/${name}.spec.ts`));
    const slow = tests.filter(test => rank(test) !== -1).sort((a, b) => rank(a) - rank(b));
    return [...slow, ...super.sort(tests.filter(test => rank(test) === -1))];
  }
}
