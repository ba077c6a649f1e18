import { figuresOf } from '../measure/figures.js';
import { drawPlan, judgePlans, reads } from '../measure/plans.js';

/** One request at a time: this measures latency, not throughput. */
const CONNECTIONS = 1;
/** Seconds of requests until plans are stable, and again while they are logged. */
const SETTLING_SECONDS = 0.15;

/** Tables that grow with the conversations; the table of counts grows with channels and members. */
const LARGE = new Set(['conversation', 'contact']);
const QUERIED = new Set([...LARGE, 'conversation_tally', 'conversation_facet', 'participant', 'tag']);
const PAGE = '/v1/conversations';

/** Requests of each case, from the stage of `opponents/ours-inbox.js`. */
const REQUESTS = {
  'first page': ({ token }) => [{ path: PAGE, token }],
  'deep page': ({ token, deep }) => [{ path: `${PAGE}?cursor=${deep}`, token }],
  '3 channels': ({ narrowToken }) => [{ path: PAGE, token: narrowToken }],
  '3 channels, deep': ({ narrowToken, narrowDeep }) => [{ path: `${PAGE}?cursor=${narrowDeep}`, token: narrowToken }],
  search: ({ token, emails }) => emails.map(email => ({ path: `${PAGE}?query=${encodeURIComponent(email)}`, token })),
  'common tag': ({ token }) => [{ path: `${PAGE}?tag=common`, token }],
  'old tag': ({ token }) => [{ path: `${PAGE}?tag=old`, token }],
  'rare tag': ({ token }) => [{ path: `${PAGE}?tag=rare&status=open,resolved`, token }],
  unread: ({ token }) => [{ path: `${PAGE}?unread=true`, token }],
  urgent: ({ token }) => [{ path: `${PAGE}?priority=urgent&status=open`, token }],
  'by priority': ({ token }) => [{ path: `${PAGE}?sort=priority`, token }],
  'bad rating': ({ token }) => [{ path: `${PAGE}?csat=1`, token }],
  waiting: ({ token }) => [{ path: `${PAGE}?sort=waiting`, token }],
  'waiting, 3 channels': ({ narrowToken }) => [{ path: `${PAGE}?sort=waiting`, token: narrowToken }],
  'long waiting': ({ token }) => [{ path: `${PAGE}?waiting_longer_than=3600&unread=true`, token }],
  participating: ({ token }) => [{ path: `${PAGE}?participating=me`, token }],
  mentioned: ({ token }) => [{ path: `${PAGE}?mentioned=me`, token }],
  'two statuses': ({ token }) => [{ path: `${PAGE}?status=pending,snoozed&assignee=none`, token }],
  tags: ({ token }) => [{ path: '/v1/tags', token }],
  counts: ({ token }) => [{ path: `${PAGE}/counts`, token }],
};

const TIMES = ['ackP50', 'ackP99', 'serverMicros', 'databaseMicros'];
/** Figures of plans that must be 0. */
const FAULTS = ['unindexed', 'sorts', 'counts'];

/** Filters that match less than a page of a thousand conversations, and the size from which on their pages are full. */
const SPARSE = new Set([
  ...['old tag', 'unread', 'urgent', 'bad rating', 'waiting, 3 channels', 'long waiting', 'mentioned'],
]);
const FULL_PAGES = 'inbox-100000';

/**
 * Targets of one size. The table of counts has a row per group of conversations; few conversations don't fill all
 * groups.
 */
const barsOf = (size, fullOnly) => [
  ...Object.keys(REQUESTS)
    .filter(name => !SPARSE.has(name) || size !== FULL_PAGES)
    .map(name => ({
      metric: 'ackP50',
      of: size,
      case: name,
      against: { opponent: SPARSE.has(name) ? FULL_PAGES : 'inbox-1000' },
      atMost: 1.5,
      fullOnly,
    })),
  ...FAULTS.map(metric => ({ metric, of: size, atMost: 0, fullOnly })),
];

/**
 * Each size has its own database and service. The plans are those of the service's statements as PostgreSQL ran them.
 */
export default {
  id: 'S8',
  title: 'Inbox pages by number of conversations',
  takes: 112,
  least: { full: 120, quick: 40 },
  cases: Object.keys(REQUESTS).map(name => ({ name, shape: {} })),
  opponents: ['inbox-1000', 'inbox-100000', 'inbox-1000000'],
  quick: ['inbox-1000', 'inbox-100000'],
  columns: [...TIMES, ...FAULTS, 'rowsRead', 'rowsSorted'],
  bars: [...barsOf('inbox-1000000', true), ...barsOf('inbox-100000', false)],
  fresh: true,
  inTurns: true,
  seconds: 0.4,
  warmSeconds: 1,

  async enter({ server, load }, shape, { name }) {
    const targets = REQUESTS[name](await server.stage()).map(target => ({ method: 'GET', ...target }));
    const request = () => requestOneByOne({ server, load, watched: {} }, targets, SETTLING_SECONDS);
    await request();
    const logged = await server.plansOf(request);
    // the final plan of each statement; other statements are authentication and background work
    const plans = new Map(logged.filter(({ plan }) => reads(plan, QUERIED)).map(({ text, plan }) => [text, plan]));
    if (plans.size === 0) throw new Error('the database logged no plan');
    return { targets, plans: [...plans.values()], judged: judgePlans(plans.values(), LARGE) };
  },

  async play(seat, { targets, judged }, { seconds }) {
    return { ...figuresOf(await requestOneByOne(seat, targets, seconds)), ...judged };
  },

  /** Lines below the table of the case. */
  note: ({ plans }) => plans.flatMap(plan => drawPlan(plan)),
};

function requestOneByOne({ server, load, watched }, targets, seconds) {
  return load.drive({ port: server.port, targets, connections: CONNECTIONS, seconds, listenersEach: 0, watched });
}
