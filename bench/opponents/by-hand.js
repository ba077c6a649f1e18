import { plainOpponent } from './plain-opponent.js';
import { bareSocket } from './plain-stage.js';

/** The baseline: a hand-written server that needs only speed and uses common techniques. */
export default plainOpponent({ id: 'by-hand', name: 'by hand', program: 'by-hand.js', socket: bareSocket });
