import { randomBytes } from 'node:crypto';
import { client } from '../client.js';
import { from, someAddress } from '../load/logins.js';
import { startLoad } from '../load.js';
import { figuresOf } from '../measure/figures.js';
import { watchMainThread } from '../measure/processor.js';
import { each } from '../pace.js';
import { register } from '../service.js';
import { CONNECTIONS } from './sending.js';

const CONVERSATIONS = 10;
/** Registered users whose e-mails the storm of logins uses. */
const KNOWN = 6;
const LOGINS_PER_SECOND = 200;
const SENDS_PER_SECOND = 100;
const STORM_SECONDS = 3;
/** Seconds of sends before measuring. */
const WARM_SECONDS = 3;
/** Seconds by which the logins start before the measured sends, so that these meet a steady storm. */
const AHEAD_SECONDS = 1;

/** Measures the cost of checking a credential, and how password guessing affects sends. */
export default {
  id: 'S9',
  title: `Credentials: an agent's JWT, an API key; ${LOGINS_PER_SECOND} failed logins a second beside ${SENDS_PER_SECOND} sends`,
  takes: 48,
  least: { full: 45, quick: 30 },
  fullOnly: true,
  cases: [
    { name: 'JWT', shape: {} },
    { name: 'API key', shape: {} },
    { name: 'login storm', shape: {}, warmSeconds: 0, once: true },
  ],
  opponents: ['ours-doors'],
  quick: ['ours-doors'],
  columns: [
    ...['rate', 'bothMicros', 'serverMicros', 'databaseMicros', 'calmP50', 'calmP99', 'ackP50', 'ackP99'],
    ...['calmMainCores', 'mainCores', 'checked', 'refused', 'unanswered', 'failed'],
  ],
  bars: [
    {
      metric: 'bothMicros',
      of: 'ours-doors',
      case: 'API key',
      against: { case: 'JWT' },
      difference: true,
      atMost: 60,
    },
    { metric: 'ackP99', of: 'ours-doors', case: 'login storm', against: { metric: 'calmP99' }, atMost: 3 },
    { metric: 'checked', of: 'ours-doors', case: 'login storm', atLeast: 1 },
  ],

  async enter({ server, load }, shape, { name }) {
    const { conversations, key } = await server.stage({ conversations: CONVERSATIONS });
    const sends = conversations.map(({ send }) => send);
    if (name !== 'login storm') {
      const token = name === 'API key' ? key : sends[0].token;
      return { targets: [{ method: 'GET', path: '/v1/echo', token }] };
    }
    const steady = { port: server.port, targets: sends, connections: CONNECTIONS, listenersEach: 0, watched: {} };
    await load.drive({ ...steady, perSecond: SENDS_PER_SECOND, seconds: WARM_SECONDS });
    return { targets: sends, emails: await registerUsers(server.port), storm: startLoad() };
  },

  async play({ server, load, watched }, { targets, emails, storm }, { seconds }) {
    const { port } = server;
    const wants = { port, targets, connections: CONNECTIONS, listenersEach: 0 };
    if (storm === undefined) return withBoth(figuresOf(await load.drive({ ...wants, seconds, watched })));
    const steady = { ...wants, perSecond: SENDS_PER_SECOND, seconds: STORM_SECONDS };
    const calmMain = watchMainThread(server.pid);
    const calm = await load.drive({ ...steady, watched: {} });
    const calmMainCores = calmMain();
    const flood = { port, emails, perSecond: LOGINS_PER_SECOND, seconds: STORM_SECONDS + AHEAD_SECONDS };
    const guessing = storm.logins(flood);
    await load.drive({ ...steady, seconds: AHEAD_SECONDS, watched: {} });
    const main = watchMainThread(server.pid);
    const measured = figuresOf(await load.drive({ ...steady, watched }));
    const mainCores = main();
    const { ackP50: calmP50, ackP99: calmP99 } = calm;
    return { ...measured, calmP50, calmP99, calmMainCores, mainCores, ...(await guessing) };
  },

  leave: ({ storm }) => storm?.stop(),
};

function withBoth(figures) {
  return { ...figures, bothMicros: figures.serverMicros + figures.databaseMicros };
}

async function registerUsers(port) {
  const { made, close } = client(port);
  const emails = Array.from({ length: KNOWN }, () => `known-${randomBytes(6).toString('hex')}@example.com`);
  await each(emails, 2, email => register(made, email, from(someAddress()))).finally(close);
  return emails;
}
