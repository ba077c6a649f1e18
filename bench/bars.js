/**
 * What a figure must reach, in the same run. A bar is data:
 *
 *     {metric, of?, case?, against?: {opponent?, metric?, case?}, difference?, atLeast? | atMost?, reached?, fullOnly?}
 *
 * the figure of `of` (`ours` where absent) in one case, or in each; as it is, or its ratio to another figure, or with
 * `difference` what it is more than that. `reached` stands where the bar is not: what is, and must not be lost again.
 */

/**
 * @param median (opponent, metric, case) → the median, or undefined where there is none
 * @returns `{own, other, value, wanted, verdict, share, floor}`; `share` is 1 where the bar is just met, less below it,
 *   null where nothing could be judged; `floor` is the same of what has been reached
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
    wanted: atLeast === undefined ? { atMost } : { atLeast },
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

/** All bars of a scenario, in each case that they are about. */
export function judgeAll(bars, cases, median) {
  return bars.flatMap(bar =>
    cases.filter(name => bar.case === undefined || bar.case === name).map(name => judge(bar, name, median)),
  );
}

/**
 * The same comparison of two rates by the processor that an operation takes of server and database together: steadier
 * than the rates where other processes are busy. Null where the bar is about something else.
 */
export function byProcessor({ metric, of, case: name, against, difference }, median) {
  if (metric !== 'rate' || !against || difference) return null;
  const micros = (id, inCase) => median(id, 'serverMicros', inCase) + (median(id, 'databaseMicros', inCase) ?? 0);
  const ratio = micros(against.opponent ?? of, against.case ?? name) / micros(of, name);
  return Number.isFinite(ratio) ? ratio : null;
}

/** Below half of a bar, or of what is reached of it, something has broken, whatever the machine was busy with. */
export function isGross({ floor }) {
  return floor !== null && floor < 0.5;
}
