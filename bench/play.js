import { isDisturbed } from './measure/figures.js';
import { shuffled } from './measure/statistics.js';

/** How often a disturbed round is repeated. */
const AGAIN = 2;
/**
 * A server is warm when `still` seconds of load improved its µs by less than this factor: a large program is compiled
 * in steps, with seconds without progress between them. It also counts as warm after `seconds` in all, or after `again`
 * seconds if it was warm before or is not JavaScript.
 */
const WARM = { better: 0.95, full: { seconds: 7, still: 2 }, quick: { seconds: 4, still: 1 }, again: 1 };
/**
 * Seconds of load in each round before measuring. A server that waited for half a minute has lost compiled code to
 * garbage collections of its idle heap, and its processor caches to the others.
 */
const LEAD_SECONDS = 0.4;

/**
 * Runs one scenario: every case and every round, with the opponents in a new random order each round.
 * @param run `{lineup, world, budget, random, quick, rounds, seconds, log}`
 * @param outcome `{scenario, played, broken, notes, leftOut}`, which this fills: the figures of the rounds by case and
 *   opponent, errors by opponent, notes by case and opponent, and why a case was left out
 * @param ids of the available opponents
 */
export async function playScenario({ scenario, played, broken, notes, leftOut }, ids, run) {
  if (scenario.fresh) await run.lineup.leave(ids);
  for (const one of scenario.cases) {
    if (run.quick ? one.fullOnly : one.quickOnly) continue;
    const reason = one.absent?.() ?? null;
    if (reason !== null) {
      leftOut[one.name] = reason;
      run.log(`${scenario.id} ${one.name} is left out: ${reason}`);
      continue;
    }
    played[one.name] = Object.fromEntries(ids.map(id => [id, []]));
    notes[one.name] = {};
    await playCase(scenario, one, ids, run, { results: played[one.name], broken, notes: notes[one.name] });
  }
  if (scenario.fresh) await run.lineup.leave(ids);
}

async function playCase(scenario, one, ids, run, { results, broken, notes }) {
  const { lineup, world, budget, random, quick, log } = run;
  const { seconds: defaultWarmSeconds, still } = quick ? WARM.quick : WARM.full;
  const usual = { rounds: run.rounds, seconds: run.seconds, warmSeconds: defaultWarmSeconds, once: false };
  const { rounds, seconds, warmSeconds, once } = { ...usual, ...scenario, ...one };
  const label = [scenario.id, one.name].filter(Boolean).join(' ');
  const states = new Map();
  const guarded = async (id, what, work) => {
    try {
      await work();
    } catch (error) {
      broken[id] = `${what}: ${error.message}`;
      states.delete(id);
      log(`${label} ${id}: ${broken[id]}`);
    }
  };
  const about = (length, lead = 0) => ({ shape: one.shape, case: one, seconds: length, lead, world });
  for (const id of ids.filter(id => !broken[id])) {
    await guarded(id, 'could not set up', async () => {
      const begun = performance.now();
      const seat = await lineup.seat(id);
      const state = await scenario.enter(seat, one.shape, one, world);
      states.set(id, state);
      log(`${label} ${seat.opponent.name}: ready after ${since(begun)}`);
    });
  }
  await world.postgres.analyze();
  for (const id of [...states.keys()]) {
    await guarded(id, 'could not warm up', async () => {
      const seat = await lineup.seat(id);
      const maxSeconds = seat.warm || seat.opponent.compiled ? Math.min(WARM.again, warmSeconds) : warmSeconds;
      const needed = await warm(
        () => scenario.play(seat, states.get(id), about(Math.min(1, seconds))),
        maxSeconds,
        still,
      );
      seat.warm = true;
      log(`${label} ${seat.opponent.name}: warm after ${needed}`);
    });
  }
  // again, because the warm-up writes most of the rows
  await world.postgres.analyze();
  for (let round = 1; round <= rounds && (round === 1 || budget.allows()); round += 1) {
    for (const id of shuffled([...states.keys()], random)) {
      await guarded(id, `round ${round}`, async () => {
        const seat = await lineup.seat(id);
        const figures = await quietest(
          () => scenario.play(seat, states.get(id), about(seconds, LEAD_SECONDS)),
          budget,
          scenario.once,
        );
        results[id].push(figures);
        log(`${label} round ${round}/${rounds} ${seat.opponent.name}: ${brief(figures)}`);
      });
    }
  }
  for (const [id, state] of states) {
    if (scenario.note) notes[id] = scenario.note(state);
    await scenario.leave?.(state);
  }
  for (const id of ids) await lineup.seats.get(id)?.load.close();
}

/** Applies load until code is compiled and statements are prepared. A large program needs longer than a small one. */
async function warm(play, maxSeconds, still) {
  const begun = performance.now();
  let best = Infinity;
  let lastImproved = 0;
  for (let second = 0; second < maxSeconds && second - lastImproved < still; second += 1) {
    const { serverMicros = 0 } = await play();
    if (serverMicros === 0) break;
    if (serverMicros < best * WARM.better) lastImproved = second;
    best = Math.min(best, serverMicros);
  }
  return since(begun);
}

/**
 * Repeats a round that other processes disturbed, a few times. Returns the quietest round and the number of void ones.
 */
async function quietest(play, budget, once) {
  let best = await play();
  let again = 0;
  while (!once && isDisturbed(best) && again < AGAIN && budget.allowsAgain()) {
    again += 1;
    const next = await budget.again(play);
    if (next.foreign < best.foreign) best = next;
  }
  return { ...best, void: isDisturbed(best) ? again + 1 : again };
}

function since(begun) {
  return `${((performance.now() - begun) / 1000).toFixed(1)} s`;
}

function brief({ rate, deliveryP50, serverMicros, databaseMicros, foreign }) {
  const parts = [
    rate !== undefined && `${rate.toFixed(0)}/s`,
    deliveryP50 > 0 && `delivered in ${deliveryP50.toFixed(1)} ms`,
    serverMicros > 0 && `server ${serverMicros.toFixed(0)} µs`,
    databaseMicros > 0 && `database ${databaseMicros.toFixed(0)} µs`,
    isDisturbed({ foreign }) && `disturbed (${foreign.toFixed(1)} cores)`,
  ];
  return parts.filter(Boolean).join(', ');
}
