import s01 from './s01-rest-send.js';
import s02 from './s02-hot-conversation.js';
import s03 from './s03-inbox.js';
import s04 from './s04-delivery.js';
import s05 from './s05-idle-sockets.js';
import s06 from './s06-connects.js';
import s07 from './s07-http.js';
import s08 from './s08-inbox-pages.js';
import s09 from './s09-doors.js';
import s10 from './s10-reconnects.js';
import s11 from './s11-two-instances.js';
import s12 from './s12-stalled-readers.js';
import s13 from './s13-ten-minutes.js';

/**
 * What is measured, in this order. A scenario is
 *
 *     {id, title, takes, least?, cases: [{name, shape, fullOnly?, quickOnly?, absent?}], opponents, quick, columns,
 *      bars, fullOnly?, long?, fresh?, rounds?, seconds?, warmSeconds?, once?, enter, play, note?, leave?}
 *
 * `takes` is how many seconds a full run of it needs on a machine with nothing else to do; `least` is what one round
 * takes where others are busy, `{full, quick}`. `opponents` are ids of those who play, `quick` of those who do in a quick
 * run, which leaves out what is `fullOnly` (a scenario that is not named, a case, a bar); others leave out cases that are
 * `quickOnly`. A case's `absent()` says why it cannot be played here, or null. `columns` are figures of the table; `bars`
 * as in `bars.js`. One that is `long` is played only where somebody asks for it. With `fresh` the servers are started for
 * it alone. Of the scenario or of one case, `rounds`, `seconds` of each and the most `warmSeconds` stand instead of the
 * run's, and `once` says that a round takes too long to be played again where others disturbed it.
 *
 * `enter(seat, shape, case, world)` sets the stage for one opponent, once for all rounds of a case; what it answers is
 * handed to `play(seat, state, {shape, case, seconds, lead, world})`, which lets the load go on for `lead` seconds before
 * it measures, where it can, and answers the figures of one round: numbers by name, `foreign` among them; to
 * `note(state)`, which answers lines that are shown below the table; and to `leave(state)` when the case is over. A `seat`
 * is what `lineup.js` says.
 */
export const scenarios = [s01, s02, s03, s04, s05, s06, s07, s08, s09, s10, s11, s12, s13];
