import { figuresOf } from '../measure/figures.js';
import { drawPlan, judgePlans, reads } from '../measure/plans.js';

/** One request at a time: this measures latency, not throughput. */
const CONNECTIONS = 1;
/** Seconds of requests until plans are stable, and again while they are logged. */
const SETTLING_SECONDS = 1;

/** Tables that grow with the messages. */
const LARGE = new Set(['search_document', 'message']);
const QUERIED = new Set([...LARGE, 'search_segment']);
const ALL = 'all 200 queries';
const KINDS = ['rare words', 'common words', 'phrases', 'prefixes'];
const FULL_SIZE = 'search-1000000';
/** The contract's limit in milliseconds, for 200 queries in a workspace of a million messages. */
const LIMIT_MS = 50;

/** Each size has its own database and service. The plans are those of the service's statements as PostgreSQL ran them. */
export default {
  id: 'S14',
  title: 'Full-text search by number of messages',
  takes: 300,
  least: { full: 300, quick: 60 },
  cases: [ALL, ...KINDS].map(name => ({ name, shape: {} })),
  opponents: ['search-100000', FULL_SIZE],
  quick: ['search-100000'],
  columns: ['ackP50', 'ackP95', 'ackP99', 'serverMicros', 'databaseMicros', 'unindexed', 'rowsRead', 'rowsSorted'],
  bars: [
    { metric: 'ackP95', of: FULL_SIZE, atMost: LIMIT_MS, fullOnly: true },
    { metric: 'unindexed', of: FULL_SIZE, atMost: 0, fullOnly: true },
    { metric: 'ackP95', of: 'search-100000', atMost: LIMIT_MS },
    { metric: 'unindexed', of: 'search-100000', atMost: 0 },
  ],
  fresh: true,
  long: true,
  seconds: 3,
  warmSeconds: 2,

  async enter({ server, load }, shape, { name }) {
    const { token, queries, size } = await server.stage();
    const chosen = name === ALL ? Object.values(queries).flat() : queries[name];
    const targets = chosen.map(query => ({
      method: 'GET',
      path: `/v1/search?query=${encodeURIComponent(query)}`,
      token,
    }));
    const request = () => requestOneByOne({ server, load, watched: {} }, targets, SETTLING_SECONDS);
    await request();
    const logged = await server.plansOf(request);
    // the final plan of each statement; other statements are authentication and background work
    const plans = new Map(logged.filter(({ plan }) => reads(plan, QUERIED)).map(({ text, plan }) => [text, plan]));
    if (plans.size === 0) throw new Error('the database logged no plan');
    return { targets, size, plans: [...plans.values()], judged: judgePlans(plans.values(), LARGE) };
  },

  async play(seat, { targets, judged }, { seconds }) {
    return { ...figuresOf(await requestOneByOne(seat, targets, seconds)), ...judged };
  },

  /** Lines below the table of the case. */
  note: ({ plans, size }) => [
    `index: ${megabytes(size.total)} MB, of which terms ${megabytes(size.terms)} MB`,
    ...plans.flatMap(plan => drawPlan(plan)),
  ],
};

function megabytes(bytes) {
  return Math.round(bytes / 1e6);
}

function requestOneByOne({ server, load, watched }, targets, seconds) {
  return load.drive({ port: server.port, targets, connections: CONNECTIONS, seconds, listenersEach: 0, watched });
}
