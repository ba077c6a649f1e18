import { plainOpponent } from './plain-opponent.js';
import { bareSocket } from './plain-stage.js';

/** The measure of all others: what somebody writes who needs nothing but speed, and knows the usual ways. */
export default plainOpponent({ id: 'by-hand', name: 'by hand', program: 'by-hand.js', socket: bareSocket });
