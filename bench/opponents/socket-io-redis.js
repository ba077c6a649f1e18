import { programAbsent } from '../programs.js';
import { engineSocket, installed } from './engine-io.js';
import { plainOpponent } from './plain-opponent.js';

/** Uses the adapter that several instances need. Redis's processor time counts as the server's. */
export default plainOpponent({
  id: 'socket-io-redis',
  name: 'socket.io + Redis',
  program: 'socket-io.js',
  socket: engineSocket,
  absent: () => installed() ?? programAbsent('redis-server'),
  redis: true,
});
