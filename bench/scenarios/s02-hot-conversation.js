import { sending, SENDING_COLUMNS } from './sending.js';

export default {
  id: 'S2',
  title: 'One hot conversation × 10 listeners, saturated',
  takes: 19,
  cases: [{ name: '', shape: { conversations: 1, listenersEach: 10 } }],
  opponents: ['ours', 'by-hand', 'by-hand-best'],
  quick: ['ours', 'by-hand'],
  columns: [...SENDING_COLUMNS, 'missing'],
  bars: [{ metric: 'rate', against: { opponent: 'by-hand' }, atLeast: 2.5, reached: 0.7 }],
  ...sending,
};
