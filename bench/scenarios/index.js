import s01 from './s01-rest-send.js';
import s02 from './s02-hot-conversation.js';
import s03 from './s03-inbox.js';
import s04 from './s04-delivery.js';
import s05 from './s05-idle-sockets.js';
import s06 from './s06-connects.js';
import s07 from './s07-http.js';
import s08 from './s08-inbox-pages.js';
import s09 from './s09-credentials.js';
import s10 from './s10-reconnects.js';
import s11 from './s11-two-instances.js';
import s12 from './s12-stalled-readers.js';
import s13 from './s13-ten-minutes.js';
import s14 from './s14-search.js';
import s15 from './s15-reports.js';
import s16 from './s16-files.js';
import s17 from './s17-webhooks.js';

/**
 * All scenarios, in order. A scenario is
 *
 *     {id, title, takes, least?, cases: [{name, shape, fullOnly?, quickOnly?, absent?}], opponents, quick, columns,
 *      bars, fullOnly?, long?, inTurns?, fresh?, rounds?, seconds?, warmSeconds?, once?, enter, play, note?, leave?}
 *
 * - `takes`: seconds of a full run on an idle machine; `least`: seconds of one round on a busy machine,
 *   `{full, quick}`.
 * - `opponents`, `quick`: ids of the opponents, in a full and in a quick run.
 * - `fullOnly` (of a scenario, case or target): left out of a quick run, unless the scenario is named; `quickOnly` (of
 *   a case): left out of a full run. A case's `absent()` returns why it cannot run here, or null.
 * - `columns`: figures of the table; `bars`: targets, see `bars.js`.
 * - `long`: runs only on request. `inTurns`: a quick run with `--turn` plays only one such scenario. `fresh`: starts new
 *   servers for this scenario.
 * - `rounds`, `seconds` per round and the maximum `warmSeconds`, of a scenario or case, override those of the run.
 *   `once`: a disturbed round is not repeated, because it takes too long.
 *
 * `enter(seat, shape, case, world)` sets up one opponent, once per case. Its result is the `state` of
 * `play(seat, state, {shape, case, seconds, lead, world})`, which returns the figures of one round as numbers by name,
 * including `foreign`; if it can, it applies load for `lead` seconds before it measures. `note(state)` returns lines to
 * show below the table; `leave(state)` cleans up after the case. `lineup.js` describes a `seat`.
 */
export const scenarios = [s01, s02, s03, s04, s05, s06, s07, s08, s09, s10, s11, s12, s13, s14, s15, s16, s17];
