import Sequencer from '@jest/test-sequencer';

/**
 * Slow spec files, started first: started last, one would keep a worker busy after the others are done. Those that mostly
 * wait stand between those that compute, so that the cores have work meanwhile.
 */
const SLOW = [
  ...['new-module', 'start-and-stop', 'resilience', 'image', 'rolling-restart', 'embedded-restart', 'demo-command'],
  ...['assignment-races', 'model', 'sso-races'],
  ...['bot-servers', 'assignment', 'hostile', 'route-walk', 'uploads', 'documents', 'integration', 'conversations'],
  ...[
    'webhook-deliveries',
    'event-consumers',
    'members',
    'locked-rows',
    'tags',
    'permissions',
    'mail-queue',
    'pressure',
  ],
  ...['follow-ups', 'search-consumer', 'instances', 'report-backfills', 'stalled-readers', 'presence-instances'],
];

export default class SlowFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => SLOW.findIndex(name => path.endsWith(`/${name}.spec.ts`));
    const slow = tests.filter(test => rank(test) !== -1).sort((a, b) => rank(a) - rank(b));
    return [...slow, ...super.sort(tests.filter(test => rank(test) === -1))];
  }
}
