import ours from './ours.js';
import oursHttp from './ours-http.js';

/** The service with a route that only authenticates, with production password hashing, behind a proxy. */
export default {
  ...ours,
  id: 'ours-doors',
  start: world => oursHttp.start(world, { env: { BCRYPT_COST: '12', TRUST_PROXY: '1' }, name: 'ours_doors' }),
};
