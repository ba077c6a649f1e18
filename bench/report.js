import { byProcessor, judgeAll } from './bars.js';
import { gather } from './measure/figures.js';

/** Writes the results of a run as data and as a page of tables. */

/** Column heads with units, and the number of decimal digits. */
const COLUMNS = {
  rate: ['a second', 0],
  ackP50: ['response p50 ms', 2],
  ackP95: ['response p95 ms', 2],
  ackP99: ['response p99 ms', 2],
  deliveryP50: ['delivered p50 ms', 2],
  deliveryP99: ['delivered p99 ms', 2],
  serverMicros: ['server µs', 0],
  databaseMicros: ['database µs', 0],
  loadMicros: ['load µs', 0],
  serverCores: ['server cores', 2],
  missing: ['missing', 0],
  repeated: ['repeated', 0],
  heapKib: ['KiB in V8 each', 1],
  heapMib: ['max. MiB in V8', 1],
  ofLimit: ['of the limit', 2],
  cut: ['disconnected', 0],
  heapSlope: ['in V8, MiB a minute', 2],
  residentSlope: ['resident, MiB a minute', 2],
  descriptorGrowth: ['more descriptors', 1],
  connects: ['sockets opened', 0],
  residentKib: ['KiB resident each', 1],
  stallMs: ['longest stall ms', 0],
  idleCores: ['cores idle', 3],
  synced: ['sync.required', 0],
  halfMs: ['half complete ms', 0],
  wholeMs: ['all complete ms', 0],
  handshakes: ['handshakes', 0],
  refused: ['refused', 0],
  bothMicros: ['server and database µs', 0],
  calmMainCores: ['main thread calm, cores', 2],
  mainCores: ['main thread, cores', 2],
  checked: ['logins checked', 0],
  failed: ['failed', 0],
  calmP50: ['calm p50 ms', 2],
  calmP99: ['calm p99 ms', 2],
  unindexed: ['scans without index', 0],
  sorts: ['sorts', 0],
  counts: ['counts', 0],
  rowsRead: ['rows read', 0],
  rowsSorted: ['rows sorted', 0],
  foreign: ['other processes, cores', 2],
};

/**
 * @param about facts of the whole run
 * @param outcomes for each scenario `{scenario, played, broken, absent, notes, leftOut}`: rounds by case and opponent,
 * why an opponent was not measured, lines to show by case and opponent, and why a case was left out
 * @param opponents all opponents, by id
 */
export function summarise(about, outcomes, opponents) {
  return {
    ...about,
    scenarios: outcomes.map(({ scenario, played, broken, absent, notes = {}, leftOut = {} }) => {
      const cases = Object.entries(played).map(([name, byOpponent]) => ({
        name,
        opponents: Object.entries(byOpponent)
          .filter(([, rounds]) => rounds.length > 0)
          .map(([id, rounds]) => ({ ...identity(opponents[id]), ...gather(rounds), rounds, note: notes[name]?.[id] })),
      }));
      const median = (id, metric, name) =>
        cases.find(one => one.name === name)?.opponents.find(one => one.id === id)?.figures[metric]?.median;
      const { id, title, columns, bars } = scenario;
      const due = bars.filter(({ fullOnly }) => !fullOnly || about.mode !== 'quick');
      const judged = judgeAll(due, Object.keys(played), median).map(bar => ({
        ...bar,
        byProcessor: byProcessor(bar, median),
      }));
      const missing = Object.entries({ ...absent, ...broken }).map(([who, reason]) => ({
        ...identity(opponents[who]),
        reason,
      }));
      return { id, title, columns, cases, missing, leftOut, bars: judged };
    }),
  };
}

const identity = ({ id, name, durable }) => ({ id, name, durable });

/** @param summary from `summarise` */
export function markdown(summary) {
  const { madeAt, commit, node, processor, cores, mode, rounds, seconds, seed, minutes, cut } = summary;
  const lines = [
    `# Benchmark, ${mode}`,
    '',
    `${madeAt}, commit ${commit}, node ${node}, ${cores} × ${processor}; ${rounds} rounds of ${seconds} s in random order`,
    `(seed ${seed}), ${minutes} minutes in all${cut ? `; **cut short: ${cut}**` : ''}. Medians, with minimum and maximum of`,
    'the rounds in brackets; µs are processor time per operation. `*`: other processes were busy in all rounds, so',
    'compare only rows of one table, and µs rather than rates.',
  ];
  for (const scenario of summary.scenarios) lines.push('', ...section(scenario));
  return `${lines.join('\n')}\n`;
}

function section({ id, title, columns, cases, bars, missing, leftOut }) {
  const lines = [`## ${id} ${title}`];
  if (bars.length > 0) {
    lines.push(
      '',
      ...table(
        ['target', 'reached', 'verdict', 'by processor'],
        bars.map(bar => [
          targetText(bar),
          reached(bar),
          bar.verdict,
          bar.byProcessor === null ? '' : number(bar.byProcessor, 2),
        ]),
      ),
    );
  }
  for (const { name, opponents } of cases) {
    for (const durable of [true, false]) {
      const rows = opponents.filter(one => one.durable === durable);
      if (rows.length === 0) continue;
      const heading = [name, durable ? '' : 'stores nothing'].filter(Boolean).join(', ');
      if (heading) lines.push('', `### ${heading}`);
      lines.push('', ...opponentsTable(columns, bars, rows));
    }
    for (const { name: who, note } of opponents) if (note) lines.push('', `${who}:`, '', '```', ...note, '```');
  }
  for (const [name, reason] of Object.entries(leftOut)) lines.push('', `Left out: ${name} (${reason}).`);
  for (const durable of [true, false]) {
    const named = missing.filter(one => one.durable === durable).map(({ name, reason }) => `${name} (${reason})`);
    if (named.length > 0) lines.push('', `Not measured${durable ? '' : ', without storage'}: ${named.join('; ')}.`);
  }
  return lines;
}

/** Adds a column with the ratio to `by hand` if a target uses that ratio. */
function opponentsTable(columns, bars, rows) {
  const heads = columns.map(column => COLUMNS[column]?.[0] ?? column);
  const compared = bars.find(({ against }) => against?.opponent === 'by-hand')?.metric;
  const baseline = rows.find(({ id }) => id === 'by-hand')?.figures[compared]?.median;
  return table(
    ['', ...heads, ...(baseline ? ['× by hand'] : []), 'rounds'],
    rows.map(({ name, figures, disturbed, rounds }) => [
      `${name}${disturbed ? ' \\*' : ''}`,
      ...columns.map(column => cell(figures[column], COLUMNS[column]?.[1] ?? 1)),
      ...(baseline ? [number(figures[compared].median / baseline, 2)] : []),
      counted(rounds),
    ]),
  );
}

function counted(rounds) {
  const disturbed = rounds.reduce((sum, round) => sum + (round.void ?? 0), 0);
  return disturbed === 0 ? String(rounds.length) : `${rounds.length} (${disturbed} void)`;
}

function cell(figure, digits) {
  if (figure === undefined || figure.count === 0) return '–';
  const { median, min, max, count } = figure;
  const shown = number(median, digits);
  return count === 1 || min === max ? shown : `${shown} (${number(min, digits)}–${number(max, digits)})`;
}

function number(value, digits) {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function targetText({ metric, of, case: name, against, difference, target: { atLeast, atMost } }) {
  const sign = atLeast === undefined ? '≤' : '≥';
  const figure = COLUMNS[metric]?.[0] ?? metric;
  const other = against && [against.opponent, against.metric, against.case].filter(Boolean).join(' ');
  const bar = !against
    ? (atLeast ?? atMost)
    : difference
      ? `${other} + ${atMost ?? atLeast}`
      : `${atLeast ?? atMost} × ${other}`;
  return [name, of === 'ours' ? '' : of, `${figure} ${sign} ${bar}`].filter(Boolean).join(': ');
}

function reached({ value, own, other, against }) {
  if (value === null) return '–';
  return against ? `${number(value, 2)} (${number(own, 1)} to ${number(other, 1)})` : number(value, 2);
}

function table(heads, rows) {
  const line = cells => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)];
}
