import { plainOpponent } from './plain-opponent.js';
import { bareSocket } from './plain-stage.js';

/** By hand by somebody who has measured before. */
export default plainOpponent({
  id: 'by-hand-best',
  name: 'by hand, best',
  program: 'by-hand-best.js',
  socket: bareSocket,
});
