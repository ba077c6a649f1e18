/**
 * Chooses the scenarios of a run: the named ones, or all except the `long` ones, and in a quick run also without
 * those that are `fullOnly`.
 * @param wants `{only?, quick?, long?}`
 * @returns `{chosen, leftOut: [{scenario, reason}]}`; `leftOut` is empty if scenarios were named
 */
export function choose(scenarios, { only, quick = false, long = false }) {
  if (only !== undefined) return { chosen: named(scenarios, only), leftOut: [] };
  const reasonOf = scenario => {
    if (scenario.long && !long) return `only with --long or --only ${scenario.id}`;
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
