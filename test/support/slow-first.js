import Sequencer from '@jest/test-sequencer';

/** Slow spec files that compute, started first: started last, one would keep a worker busy after the others are done. */
const SLOW = [
  ...['new-module', 'start-and-stop', 'resilience', 'image', 'rolling-restart', 'embedded-restart', 'demo-command'],
  ...['assignment-races', 'model', 'report-recounts', 'bot-races', 'sso-races', 'hostile'],
  ...['route-walk', 'uploads', 'documents', 'architecture', 'conversations', 'members'],
  ...['permissions', 'search-postponed', 'auto-resolve'],
];

/** Spec files that mostly wait, and for how many seconds. Many at the same time would leave the cores without work. */
const WAITING = {
  'webhook-deliveries': 70,
  'bot-servers': 70,
  assignment: 60,
  'follow-ups': 30,
  'report-backfills': 24,
  tags: 20,
  'mail-queue': 17,
  frames: 17,
  'visitor-pages': 14,
  presence: 12,
  'notification-mails': 12,
};

/** While two files wait, the other workers together finish a file that computes every so many seconds. */
const SECONDS_PER_FILE = 3;

export default class SlowFirst extends Sequencer {
  sort(tests) {
    const nameOf = ({ path }) => path.replace(/^.*\//, '').replace('.spec.ts', '');
    const byName = names => names.flatMap(name => tests.filter(test => nameOf(test) === name));
    const waiting = byName(Object.keys(WAITING));
    const slow = byName(SLOW);
    const others = [...slow, ...super.sort(tests.filter(test => !waiting.includes(test) && !slow.includes(test)))];
    const [first, ...later] = waiting;
    const order = first ? [first] : [];
    for (const test of later) {
      order.push(test, ...others.splice(0, Math.round(WAITING[nameOf(test)] / SECONDS_PER_FILE)));
    }
    return [...order, ...others];
  }
}
