import { engineSocket, installed } from './engine-io.js';
import { plainOpponent } from './plain-opponent.js';

export default plainOpponent({
  id: 'socket-io',
  name: 'socket.io',
  program: 'socket-io.js',
  socket: engineSocket,
  absent: installed,
});
