import { sending, SENDING_COLUMNS } from './sending.js';

/**
 * Handlers that ask no database, behind authentication, validation and, on our side, limits, the envelope and the log.
 * That a token still counts is read from the database by ours, and by nobody else.
 */
export default {
  id: 'S7',
  title: 'Authenticated GET and POST without database',
  takes: 30,
  cases: [
    { name: 'GET', shape: { conversations: 10 } },
    { name: 'POST', shape: { conversations: 10 } },
  ],
  opponents: ['ours-http', 'idiomatic'],
  quick: ['ours-http', 'idiomatic'],
  columns: SENDING_COLUMNS,
  bars: [{ metric: 'rate', of: 'ours-http', against: { opponent: 'idiomatic' }, atLeast: 2.5 }],

  async enter({ server }, shape, { name: method }) {
    const { conversations } = await server.stage(shape);
    const body = method === 'POST' ? { before: '{"content":"', after: '"}' } : {};
    return conversations.map(({ send: { token } }) => ({ method, path: '/v1/echo', token, ...body }));
  },

  play: sending.play,
};
