import { figuresOf } from '../measure/figures.js';
import { drawPlan, judgePlans, reads } from '../measure/plans.js';

/** One page at a time: how long it takes, and not how many there can be. */
const CONNECTIONS = 1;
/** How long is asked until plans are settled, and while they are told. */
const SETTLING_SECONDS = 0.15;

/** Tables that grow with the conversations; the tally grows with channels and members. */
const LARGE = new Set(['conversation', 'contact']);
const ASKED = new Set([...LARGE, 'conversation_tally']);
const PAGE = '/v1/conversations';

/** What is asked, of the stage of `opponents/ours-inbox.js`. */
const QUESTIONS = {
  'first page': ({ token }) => [{ path: PAGE, token }],
  'deep page': ({ token, deep }) => [{ path: `${PAGE}?cursor=${deep}`, token }],
  '3 channels': ({ narrowToken }) => [{ path: PAGE, token: narrowToken }],
  '3 channels, deep': ({ narrowToken, narrowDeep }) => [{ path: `${PAGE}?cursor=${narrowDeep}`, token: narrowToken }],
  search: ({ token, emails }) => emails.map(email => ({ path: `${PAGE}?query=${encodeURIComponent(email)}`, token })),
  counts: ({ token }) => [{ path: `${PAGE}/counts`, token }],
};

const TIMES = ['ackP50', 'ackP99', 'serverMicros', 'databaseMicros'];
/** Of plans. */
const FAULTS = ['unindexed', 'sorts', 'counts'];

/** What counts reads, the tally, has a row for each kind of conversation, which few conversations do not fill. */
const barsOf = (size, fullOnly) => [
  ...Object.keys(QUESTIONS).map(name => ({
    metric: 'ackP50',
    of: size,
    case: name,
    against: { opponent: 'inbox-1000' },
    atMost: 1.5,
    fullOnly,
  })),
  ...FAULTS.map(metric => ({ metric, of: size, atMost: 0, fullOnly })),
];

/**
 * Each size in a database of its own, behind a service of its own. The plans are of the statements that the service
 * asked, as its database ran them.
 */
export default {
  id: 'S8',
  title: 'Inbox pages, however many conversations there are',
  takes: 112,
  least: { full: 120, quick: 40 },
  cases: Object.keys(QUESTIONS).map(name => ({ name, shape: {} })),
  opponents: ['inbox-1000', 'inbox-100000', 'inbox-1000000'],
  quick: ['inbox-1000', 'inbox-100000'],
  columns: [...TIMES, ...FAULTS, 'rowsRead', 'rowsSorted'],
  bars: [...barsOf('inbox-1000000', true), ...barsOf('inbox-100000', false)],
  fresh: true,
  seconds: 0.4,
  warmSeconds: 1,

  async enter({ server, load }, shape, { name }) {
    const targets = QUESTIONS[name](await server.stage()).map(target => ({ method: 'GET', ...target }));
    const ask = () => askOneByOne({ server, load, watched: {} }, targets, SETTLING_SECONDS);
    await ask();
    const told = await server.plansOf(ask);
    // of each statement the plan that it has come to; the rest is authentication, and what goes on beside requests
    const plans = new Map(told.filter(({ plan }) => reads(plan, ASKED)).map(({ text, plan }) => [text, plan]));
    if (plans.size === 0) throw new Error('the database has told no plan');
    return { targets, plans: [...plans.values()], judged: judgePlans(plans.values(), LARGE) };
  },

  async play(seat, { targets, judged }, { seconds }) {
    return { ...figuresOf(await askOneByOne(seat, targets, seconds)), ...judged };
  },

  /** Shown below the table of the case. */
  note: ({ plans }) => plans.flatMap(plan => drawPlan(plan)),
};

function askOneByOne({ server, load, watched }, targets, seconds) {
  return load.drive({ port: server.port, targets, connections: CONNECTIONS, seconds, listenersEach: 0, watched });
}
