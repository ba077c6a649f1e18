import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { median } from './measure/statistics.js';

/**
 * Draws the README's figure from the runs in `bench/runs/`. `node bench/figure.js` writes the file; a test compares it.
 */

const FILE = resolve(import.meta.dirname, '../docs/benchmark.svg');

/** Panels of the figure in order: scenario, case and title. */
const PANELS = [
  { id: 'S1', name: '', title: 'Messages a second, 10 receivers each' },
  { id: 'S3', name: '200 agents', title: 'Messages a second, 200 agents in one inbox' },
  { id: 'S3', name: '500 agents', title: 'The same with 500 agents' },
  { id: 'S6', name: '', title: 'Authenticated socket handshakes a second' },
  { id: 'S7', name: 'POST', title: 'Authenticated POST requests a second, without the database' },
];
const NAMES = {
  ours: 'ours',
  'ours-http': 'ours',
  'by-hand': 'by hand, no checks',
  'socket-io': 'socket.io',
  idiomatic: 'idiomatic NestJS',
};

const WIDTH = 760;
const LABEL = 170;
const BAR = 16;
const GAP = 6;
const HEAD = 30;

/**
 * @param summaries of runs, from `report.js`
 * @returns the text of an SVG with the median over all runs of each run's medians
 */
export function figure(summaries) {
  const shapes = [];
  let y = 14;
  for (const panel of PANELS) {
    const rows = rowsOf(panel, summaries);
    if (rows.length === 0) continue;
    shapes.push(text(16, y + 14, panel.title, 'head'));
    y += HEAD;
    const maxRate = Math.max(...rows.map(({ rate }) => rate));
    for (const { id, name, rate } of rows) {
      const width = Math.max(2, Math.round((rate / maxRate) * (WIDTH - LABEL - 110)));
      shapes.push(text(LABEL - 10, y + 12, name, 'name'));
      shapes.push(`<rect x="${LABEL}" y="${y}" width="${width}" height="${BAR}" rx="2" class="${classOf(id)}"/>`);
      shapes.push(text(LABEL + width + 8, y + 12, `${rounded(rate)}/s`, 'rate'));
      y += BAR + GAP;
    }
    y += 12;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" role="img">`,
    `<title>The service compared with alternatives: medians of ${summaries.length} runs on one machine</title>`,
    '<style>text{font:13px system-ui,sans-serif;fill:#333}.head{font-weight:600}.name{text-anchor:end}',
    '.ours{fill:#2563eb}.limit{fill:#9ca3af}.other{fill:#d1a15f}.page{fill:#fff}</style>',
    `<rect class="page" width="${WIDTH}" height="${y}" rx="8"/>`,
    ...shapes,
    '</svg>',
    '',
  ].join('\n');
}

/** Reads the stored full runs. */
export function keptRuns(folder = resolve(import.meta.dirname, 'runs')) {
  const files = readdirSync(folder).filter(file => /^full-\d\.json$/.test(file));
  return files.sort().map(file => JSON.parse(readFileSync(resolve(folder, file), 'utf8')));
}

function rowsOf({ id, name }, summaries) {
  const rates = new Map();
  for (const { scenarios } of summaries) {
    const played = scenarios.find(scenario => scenario.id === id)?.cases.find(one => one.name === name);
    for (const one of played?.opponents ?? []) {
      if (one.id in NAMES) rates.set(one.id, [...(rates.get(one.id) ?? []), one.figures.rate.median]);
    }
  }
  return Object.keys(NAMES)
    .filter(one => rates.has(one))
    .map(one => ({ id: one, name: NAMES[one], rate: median(rates.get(one)) }));
}

function classOf(id) {
  if (NAMES[id] === 'ours') return 'ours';
  return id === 'by-hand' ? 'limit' : 'other';
}

/** Rounds to two digits, the precision of a shared machine. */
function rounded(rate) {
  return Number(rate.toPrecision(2)).toLocaleString('en');
}

function text(x, y, words, kind) {
  return `<text x="${x}" y="${y}" class="${kind}">${words}</text>`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(FILE, figure(keptRuns()));
