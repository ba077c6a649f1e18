import { sending } from './sending.js';

const at = perSecond => ({
  name: `${perSecond}/s`,
  shape: { conversations: 100, listenersEach: 10, perSecond },
  fullOnly: perSecond > 200,
});

export default {
  id: 'S4',
  title: 'Delivery at a steady rate, 100 conversations × 10 listeners',
  takes: 27,
  cases: [at(200), at(1000)],
  opponents: ['ours', 'ours-earlier', 'by-hand'],
  quick: ['ours', 'by-hand'],
  columns: ['rate', 'deliveryP50', 'deliveryP99', 'missing', 'repeated', 'serverMicros', 'databaseMicros'],
  bars: [
    { metric: 'deliveryP50', case: '200/s', against: { opponent: 'by-hand' }, atMost: 1.5, reached: 3 },
    { metric: 'deliveryP50', case: '1000/s', against: { opponent: 'by-hand' }, atMost: 1.5, reached: 20 },
    { metric: 'deliveryP99', against: { opponent: 'by-hand' }, atMost: 1.5, reached: 7, fullOnly: true },
    { metric: 'missing', atMost: 0 },
  ],
  ...sending,
};
