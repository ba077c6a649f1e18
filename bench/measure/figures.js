import { spread } from './statistics.js';

/** What a load generator has measured, as figures of a table: processor in µs for each operation, and in cores. */
export function figuresOf({ operations, cpu, ...measured }) {
  const { seconds, foreign, ...used } = cpu;
  const micros = Object.entries(used).map(([name, spent]) => [`${name}Micros`, (spent * 1e6) / operations]);
  const cores = used.server === undefined ? {} : { serverCores: used.server / seconds };
  return { ...measured, ...Object.fromEntries(micros), ...cores, foreign };
}

/** Others on the machine had more than that: the round says nothing. */
const FOREIGN_CORES = 0.3;

/** Whether others were too busy for the round to say anything. */
export function isDisturbed({ foreign }) {
  return foreign > FOREIGN_CORES;
}

/**
 * What the rounds of one opponent came to, by figure. Disturbed rounds count only where there is no other.
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
