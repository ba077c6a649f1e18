import ours from './ours.js';

/** The service letting in as many sockets at the same time as come: what pacing handshakes is for. */
export default {
  ...ours,
  id: 'ours-unpaced',
  name: 'ours, unpaced',
  start: world => ours.start(world, { env: { WS_HANDSHAKES_AT_ONCE: '10000' }, name: 'ours_unpaced' }),
};
