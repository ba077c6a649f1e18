import { byProcessor, judgeAll } from './bars.js';
import { gather } from './measure/figures.js';

/** What a run came to, as data and as a page of tables. */

/** Heads of columns, with their units and how many digits follow the point. */
const COLUMNS = {
  rate: ['a second', 0],
  ackP50: ['answered p50 ms', 2],
  ackP99: ['answered p99 ms', 2],
  deliveryP50: ['delivered p50 ms', 2],
  deliveryP99: ['delivered p99 ms', 2],
  serverMicros: ['server µs', 0],
  databaseMicros: ['database µs', 0],
  loadMicros: ['load µs', 0],
  serverCores: ['server cores', 2],
  missing: ['missing', 0],
  repeated: ['twice', 0],
  heldKib: ['KiB held each', 1],
  heldMib: ['MiB held at most', 1],
  ofLimit: ['of the limit', 2],
  cut: ['cut off', 0],
  heldSlope: ['held, MiB a minute', 2],
  residentSlope: ['resident, MiB a minute', 2],
  descriptorGrowth: ['descriptors more', 1],
  connects: ['sockets that came', 0],
  residentKib: ['KiB resident each', 1],
  stallMs: ['longest stall ms', 0],
  idleCores: ['cores idle', 3],
  synced: ['told to read anew', 0],
  halfMs: ['half whole ms', 0],
  wholeMs: ['all whole ms', 0],
  handshakes: ['handshakes', 0],
  refused: ['sent away', 0],
  bothMicros: ['server and database µs', 0],
  calmMainCores: ['main thread calm, cores', 2],
  mainCores: ['main thread, cores', 2],
  checked: ['logins checked', 0],
  failed: ['failed', 0],
  calmP50: ['calm p50 ms', 2],
  calmP99: ['calm p99 ms', 2],
  unindexed: ['scans by no index', 0],
  sorts: ['sorts', 0],
  counts: ['counts', 0],
  rowsRead: ['rows read', 0],
  rowsSorted: ['rows sorted', 0],
  foreign: ['others, cores', 2],
};

/**
 * @param about what holds for the whole run
 * @param outcomes of each scenario `{scenario, played, broken, absent, notes, leftOut}`: rounds by case and opponent, why
 *   somebody has not been measured, by opponent, lines to be shown, by case and opponent, and why a case was not played
 * @param opponents all of them, by id
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

/** @param summary as `summarise` has made it */
export function markdown(summary) {
  const { madeAt, commit, node, processor, cores, mode, rounds, seconds, seed, minutes, cut } = summary;
  const lines = [
    `# Benchmark, ${mode}`,
    '',
    `${madeAt}, commit ${commit}, node ${node}, ${cores} × ${processor}; ${rounds} rounds of ${seconds} s in an order`,
    `shuffled by ${seed}, ${minutes} minutes in all${cut ? `; **cut short: ${cut}**` : ''}. Medians, with the least and the`,
    'most of the rounds in brackets; µs of processor for each operation. `*`: other processes were busy in all rounds,',
    'so compare nothing but rows of one table, and the µs rather than the rates.',
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
        ['bar', 'reached', 'verdict', 'by processor'],
        bars.map(bar => [
          wanted(bar),
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
      const what = [name, durable ? '' : 'keeps nothing'].filter(Boolean).join(', ');
      if (what) lines.push('', `### ${what}`);
      lines.push('', ...opponentsTable(columns, bars, rows));
    }
    for (const { name: who, note } of opponents) if (note) lines.push('', `${who}:`, '', '```', ...note, '```');
  }
  for (const [name, reason] of Object.entries(leftOut)) lines.push('', `Left out: ${name} (${reason}).`);
  for (const durable of [true, false]) {
    const named = missing.filter(one => one.durable === durable).map(({ name, reason }) => `${name} (${reason})`);
    if (named.length > 0)
      lines.push('', `Not measured${durable ? '' : ', of those that keep nothing'}: ${named.join('; ')}.`);
  }
  return lines;
}

/** Each beside the one by hand, by the figure that a bar compares so. */
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

function wanted({ metric, of, case: name, against, difference, wanted: { atLeast, atMost } }) {
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
