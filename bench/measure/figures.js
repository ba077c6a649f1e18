import { spread } from './statistics.js';

/** Converts measurements of a load generator into figures: processor time in µs per operation, and in cores. */
export function figuresOf({ operations, cpu, ...measured }) {
  const { seconds, foreign, ...used } = cpu;
  const micros = Object.entries(used).map(([name, spent]) => [`${name}Micros`, (spent * 1e6) / operations]);
  const cores = used.server === undefined ? {} : { serverCores: used.server / seconds };
  return { ...measured, ...Object.fromEntries(micros), ...cores, foreign };
}

/** A round is disturbed if other processes used more cores than this. */
const FOREIGN_CORES = 0.3;

/** Returns true if other processes disturbed the round. */
export function isDisturbed({ foreign }) {
  return foreign > FOREIGN_CORES;
}

/**
 * Summarises the rounds of one opponent by figure. Disturbed rounds count only if all rounds are disturbed.
 * @param rounds figures of each round
 * @returns `{figures: {name: {median, min, max, count}}, disturbed}`
 */
export function gather(rounds) {
  const quiet = rounds.filter(round => !isDisturbed(round));
  const counted = quiet.length > 0 ? quiet : rounds;
  const names = new Set(counted.flatMap(Object.keys));
  return {
    figures: Object.fromEntries([...names].map(name => [name, spread(counted.map(round => round[name]))])),
    disturbed: quiet.length === 0 && rounds.length > 0,
  };
}
