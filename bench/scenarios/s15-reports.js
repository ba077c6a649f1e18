import { figuresOf } from '../measure/figures.js';
import { drawPlan, judgePlans, reads } from '../measure/plans.js';

/** One request at a time: this measures latency, not throughput. */
const CONNECTIONS = 1;
/** Seconds of requests until plans are stable, and again while they are logged. */
const SETTLING_SECONDS = 1;
/** A report of 90 days of a million conversations takes at most so long. */
const MAX_MS = 300;

const LARGE = new Set(['report_fact']);
const DAY_MS = 86_400_000;

/** Requests of each case, from the stage of `opponents/ours-reports.js`. */
const REQUESTS = {
  'by day': stage => report(stage, 'conversations'),
  'by day, Berlin': stage => report(stage, 'conversations', { timezone: 'Europe/Berlin' }),
  'by day, Kathmandu': stage => report(stage, 'conversations', { timezone: 'Asia/Kathmandu' }),
  'by week': stage => report(stage, 'conversations', { interval: 'week' }),
  'by hour, 31 days': stage => report(stage, 'conversations', { interval: 'hour', from: monthBefore(stage.period.to) }),
  'by hour, Kathmandu': stage =>
    report(stage, 'conversations', {
      interval: 'hour',
      from: monthBefore(stage.period.to),
      timezone: 'Asia/Kathmandu',
    }),
  '3 channels': ({ narrowToken, ...stage }) =>
    report({ ...stage, token: narrowToken }, 'conversations', { timezone: 'Asia/Kathmandu' }),
  'a member': stage => report(stage, 'conversations', { timezone: 'Europe/Berlin', member_id: stage.memberId }),
  members: stage => report(stage, 'members'),
  channels: stage => report(stage, 'channels'),
  tags: stage => report(stage, 'tags'),
  "a member's tags": stage => report(stage, 'tags', { member_id: stage.memberId }),
};

const TIMES = ['ackP50', 'ackP99', 'serverMicros', 'databaseMicros'];

/** Each size has its own database and service. The plans are those of the service's statements as PostgreSQL ran them. */
export default {
  id: 'S15',
  title: 'Reports of 90 days by number of conversations',
  takes: 120,
  least: { full: 360, quick: 30 },
  cases: Object.keys(REQUESTS).map(name => ({ name, shape: {} })),
  opponents: ['reports-1000', 'reports-1000000'],
  quick: ['reports-1000'],
  columns: [...TIMES, 'unindexed', 'rowsRead'],
  bars: [
    { metric: 'ackP50', of: 'reports-1000000', atMost: MAX_MS, fullOnly: true },
    { metric: 'unindexed', of: 'reports-1000000', atMost: 0, fullOnly: true },
    { metric: 'ackP50', of: 'reports-1000', atMost: MAX_MS },
  ],
  fresh: true,
  inTurns: true,
  seconds: 2,
  warmSeconds: 2,

  async enter({ server, load }, shape, { name }) {
    const stage = await server.stage();
    const targets = REQUESTS[name](stage);
    const request = () => requestOneByOne({ server, load, watched: {} }, targets, SETTLING_SECONDS);
    await request();
    const logged = await server.plansOf(request);
    // the final plan of each statement; other statements are authentication and background work
    const plans = new Map(logged.filter(({ plan }) => reads(plan, LARGE)).map(({ text, plan }) => [text, plan]));
    return { targets, plans: [...plans.values()], judged: judgePlans(plans.values(), LARGE), stage };
  },

  async play(seat, { targets, judged }, { seconds }) {
    return { ...figuresOf(await requestOneByOne(seat, targets, seconds)), ...judged };
  },

  /** Lines below the table of the case. */
  note: ({ plans, stage: { facts, bytes } }) => [
    `${facts.toLocaleString('en')} facts, ${Math.round(bytes / 2 ** 20)} MiB with their index`,
    ...plans.flatMap(plan => drawPlan(plan)),
  ],
};

function report({ token, period }, name, query = {}) {
  const params = new URLSearchParams({ ...period, ...query });
  return [{ method: 'GET', path: `/v1/reports/${name}?${params.toString()}`, token }];
}

function monthBefore(time) {
  return new Date(Date.parse(time) - 31 * DAY_MS).toISOString();
}

function requestOneByOne({ server, load, watched }, targets, seconds) {
  return load.drive({ port: server.port, targets, connections: CONNECTIONS, seconds, listenersEach: 0, watched });
}
