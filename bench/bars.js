/**
 * Targets that figures must reach, compared within one run. A target ("bar") is data:
 *
 *     {metric, of?, case?, against?: {opponent?, metric?, case?}, difference?, atLeast? | atMost?, reached?, fullOnly?}
 *
 * It compares the figure of `of` (default `ours`) in one case, or in each case: the figure itself, its ratio to another
 * figure, or with `difference` its difference from that. `reached` records the current value of a target that is not
 * met; the gate fails below half of it.
 */

/**
 * @param median (opponent, metric, case) → the median, or undefined where there is none
 * @returns `{own, other, value, target, verdict, share, floor}`; `share` is 1 if the target is just met, less below it,
 *   null if there is nothing to judge; `floor` is the same relative to the recorded value
 */
export function judge(bar, caseName, median) {
  const { metric, of = 'ours', against, difference = false, atLeast, atMost, reached } = bar;
  const own = median(of, metric, caseName);
  const other = against && median(against.opponent ?? of, against.metric ?? metric, against.case ?? caseName);
  const open = own === undefined || Number.isNaN(own) || (against && (other === undefined || Number.isNaN(other)));
  const value = open ? null : !against ? own : difference ? own - other : own / other;
  const share = open ? null : shareOf(value, atLeast, atMost);
  return {
    metric,
    of,
    case: caseName,
    against: against ?? null,
    difference,
    target: atLeast === undefined ? { atMost } : { atLeast },
    own: own ?? null,
    other: other ?? null,
    value,
    share,
    floor: share === null || reached === undefined ? share : shareOf(value, atLeast && reached, atMost && reached),
    verdict: open ? 'not judged' : share >= 1 ? 'met' : 'not met',
  };
}

function shareOf(value, atLeast, atMost) {
  if (atLeast !== undefined) return value / atLeast;
  if (value <= atMost) return value <= 0 ? Number.MAX_VALUE : atMost / value;
  return atMost / value;
}

/** Judges all targets of a scenario in their cases. */
export function judgeAll(bars, cases, median) {
  return bars.flatMap(bar =>
    cases.filter(name => bar.case === undefined || bar.case === name).map(name => judge(bar, name, median)),
  );
}

/**
 * Compares two rates by the processor time of server and database per operation, which varies less than rates when
 * other processes are busy. Returns null if the target is not about rates.
 */
export function byProcessor({ metric, of, case: name, against, difference }, median) {
  if (metric !== 'rate' || !against || difference) return null;
  const micros = (id, inCase) => median(id, 'serverMicros', inCase) + (median(id, 'databaseMicros', inCase) ?? 0);
  const ratio = micros(against.opponent ?? of, against.case ?? name) / micros(of, name);
  return Number.isFinite(ratio) ? ratio : null;
}

/** Returns true below half of the target or recorded value: a defect, not a busy machine. */
export function isGross({ floor }) {
  return floor !== null && floor < 0.5;
}
