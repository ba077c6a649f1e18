import { sending, SENDING_COLUMNS } from './sending.js';

const CROWD = { conversations: 100, listenersEach: 10 };

/** Messages sent to one instance and received on another, compared with a single instance. */
export default {
  id: 'S11',
  title: 'Two instances and Redis: sent to one, received on the other',
  warmSeconds: 5,
  takes: 47,
  least: { full: 40, quick: 40 },
  fullOnly: true,
  cases: [
    { name: '200/s', shape: { ...CROWD, perSecond: 200 } },
    { name: 'saturated', shape: CROWD },
  ],
  opponents: ['ours', 'ours-two'],
  quick: ['ours', 'ours-two'],
  columns: [...SENDING_COLUMNS, 'deliveryP50', 'deliveryP99', 'missing'],
  bars: [
    {
      metric: 'deliveryP50',
      of: 'ours-two',
      case: '200/s',
      against: { opponent: 'ours' },
      difference: true,
      atMost: 1,
      reached: 2.3,
    },
    { metric: 'rate', of: 'ours-two', case: 'saturated', against: { opponent: 'ours' }, atLeast: 0.8 },
    { metric: 'missing', of: 'ours-two', atMost: 0 },
  ],
  ...sending,
};
