import type { Figures } from './figures.js';
import { toFigures } from './figures.js';
import { EVENT_COUNTS } from './fact.js';
import type { ItemKeys, Report, ReportName } from './report.js';

/** A report as a file of comma-separated values. */
export interface ReportFile {
  format: 'csv';
  content: string;
  filename: string;
}

type Cell = string | number | null;

const DURATIONS = ['first_response', 'first_response_business', 'resolution', 'resolution_business'] as const;

/** The keys of an item, for the header of a file without items. */
const KEYS: ItemKeys = {
  conversations: { at: '' },
  members: { member_id: '', name: '' },
  channels: { channel_id: '', name: '' },
  tags: { tag: '' },
};

/** One line for each item. Totals are left out: they would be added to the items. */
export function toReportFile(name: ReportName, { from, to, items }: Report): ReportFile {
  const header = Object.keys(rowOf({ ...KEYS[name], ...toFigures({}) }));
  const lines = [header, ...items.map(item => Object.values(rowOf(item)))];
  return {
    format: 'csv',
    content: lines.map(cells => `${cells.map(toCell).join(',')}\r\n`).join(''),
    filename: `${name}-${from.slice(0, 10)}-${to.slice(0, 10)}.csv`,
  };
}

function rowOf(item: Report['items'][number]): Record<string, Cell> {
  const { csat } = item;
  return {
    ...keysOf(item),
    ...Object.fromEntries(EVENT_COUNTS.map(count => [count, item[count]])),
    ...Object.assign({}, ...DURATIONS.map(name => durationCells(name, item[name]))),
    csat_count: csat.count,
    csat_mean: csat.mean,
    ...Object.fromEntries(csat.scores.map((count, index) => [`csat_${index + 1}`, count])),
  };
}

function keysOf(item: Report['items'][number]): Record<string, Cell> {
  if ('at' in item) return { at: item.at };
  if ('member_id' in item) return { member_id: item.member_id, name: item.name };
  if ('channel_id' in item) return { channel_id: item.channel_id, name: item.name };
  return { tag: item.tag };
}

function durationCells(name: string, { count, mean, p50, p90 }: Figures['resolution']): Record<string, Cell> {
  return { [`${name}_count`]: count, [`${name}_mean`]: mean, [`${name}_p50`]: p50, [`${name}_p90`]: p90 };
}

/** Begins of formulas, also behind what some spreadsheets split cells at. Some read the wide signs of Chinese and Japanese. */
const FORMULA = /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?=[=+\-@＝＋－＠])/g;

/** RFC 4180. A text that begins like a formula gets an apostrophe, so that a spreadsheet runs nothing. */
function toCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = cell.replace(FORMULA, "'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
