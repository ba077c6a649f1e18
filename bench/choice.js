/**
 * Chooses the scenarios of a run: the named ones, or all except the `long` ones. A quick run leaves out those that are
 * `fullOnly`; with a turn, it plays only one of those that are `inTurns`.
 * @param wants `{only?, quick?, long?, turn?}`; `turn` is a whole number
 * @returns `{chosen, leftOut: [{scenario, reason}]}`; `leftOut` is empty if scenarios were named
 */
export function choose(scenarios, { only, quick = false, long = false, turn }) {
  if (only !== undefined) return { chosen: named(scenarios, only), leftOut: [] };
  const inTurns = quick && turn !== undefined ? scenarios.filter(scenario => scenario.inTurns) : [];
  const isNext = scenario => scenario === inTurns[turn % inTurns.length];
  const reasonOf = scenario => {
    if (scenario.long && !long) return `only with --long or --only ${scenario.id}`;
    if (inTurns.includes(scenario) && !isNext(scenario)) return 'another turn plays it';
    return quick && scenario.fullOnly ? `in a quick run only with --only ${scenario.id}` : null;
  };
  return {
    chosen: scenarios.filter(scenario => reasonOf(scenario) === null),
    leftOut: scenarios
      .map(scenario => ({ scenario, reason: reasonOf(scenario) }))
      .filter(({ reason }) => reason !== null),
  };
}

function named(scenarios, only) {
  return only
    .toUpperCase()
    .split(',')
    .map(id => {
      const found = scenarios.find(scenario => scenario.id === id);
      if (!found) throw new Error(`there is no scenario ${id}; there are ${scenarios.map(one => one.id).join(', ')}`);
      return found;
    });
}
