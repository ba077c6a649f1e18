import { sending, SENDING_COLUMNS } from './sending.js';

const inbox = agents => ({
  name: `${agents} agents`,
  shape: { conversations: 100, inbox: agents },
  fullOnly: agents > 200,
});

export default {
  id: 'S3',
  title: 'Inbox: everything of one workspace to all of its agents, saturated',
  takes: 54,
  cases: [inbox(200), inbox(500)],
  opponents: ['ours', 'ours-earlier', 'by-hand', 'socket-io'],
  quick: ['ours', 'by-hand', 'socket-io'],
  columns: [...SENDING_COLUMNS, 'missing'],
  bars: [
    { metric: 'rate', against: { opponent: 'ours-earlier' }, atLeast: 0.95, fullOnly: true },
    { metric: 'rate', against: { opponent: 'by-hand' }, atLeast: 5, reached: 2.9 },
    { metric: 'rate', against: { opponent: 'socket-io' }, atLeast: 6, reached: 2.9 },
  ],
  ...sending,
};
