import { sending, SENDING_COLUMNS } from './sending.js';

export default {
  id: 'S1',
  title: 'REST send, 100 conversations × 10 listeners, saturated',
  takes: 106,
  cases: [{ name: '', shape: { conversations: 100, listenersEach: 10 } }],
  opponents: [
    ...['ours', 'ours-earlier', 'by-hand', 'by-hand-best', 'pgbench', 'socket-io', 'socket-io-redis', 'idiomatic'],
    ...['ejabberd', 'nats', 'mosquitto', 'centrifuge'],
  ],
  quick: ['ours', 'by-hand', 'socket-io', 'idiomatic'],
  columns: [...SENDING_COLUMNS, 'missing'],
  bars: [
    { metric: 'rate', against: { opponent: 'ours-earlier' }, atLeast: 0.95, fullOnly: true },
    { metric: 'rate', against: { opponent: 'by-hand' }, atLeast: 1.2, reached: 0.45 },
    { metric: 'rate', against: { opponent: 'socket-io' }, atLeast: 1.3, reached: 0.55 },
    { metric: 'rate', against: { opponent: 'idiomatic' }, atLeast: 8, reached: 3.3 },
  ],
  ...sending,
};
