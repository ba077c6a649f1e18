import { sending, SENDING_COLUMNS } from './sending.js';

/**
 * Handlers without a database query, behind authentication and validation; ours also has rate limits, the envelope and
 * the log. Only ours reads from the database whether the token is still valid.
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
