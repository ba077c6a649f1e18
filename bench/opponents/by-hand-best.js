import { plainOpponent } from './plain-opponent.js';
import { bareSocket } from './plain-stage.js';

/** A hand-written server by an author who has measured and optimised it. */
export default plainOpponent({
  id: 'by-hand-best',
  name: 'by hand, best',
  program: 'by-hand-best.js',
  socket: bareSocket,
});
