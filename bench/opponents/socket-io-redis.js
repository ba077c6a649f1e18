import { programAbsent } from '../programs.js';
import { engineSocket, installed } from './engine-io.js';
import { plainOpponent } from './plain-opponent.js';

/** With the adapter that more than one instance needs; the processor that Redis uses counts as the server's. */
export default plainOpponent({
  id: 'socket-io-redis',
  name: 'socket.io + Redis',
  program: 'socket-io.js',
  socket: engineSocket,
  absent: () => installed() ?? programAbsent('redis-server'),
  redis: true,
});
