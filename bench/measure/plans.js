/**
 * Finds plans that do not scale with large tables: a full scan, and sorting or counting all rows to return one page.
 * Sorting a page, or lists that each end after a page, is fine, because its cost does not depend on the table size. So is
 * an incremental sort that ends with the page: it sorts rows that are equal in the index, one group after the other.
 */

/** Rows of a page, plus one that shows that another page exists. */
const PAGE_ROWS = 51;

const BY_INDEX = new Set(['Index Scan', 'Index Only Scan', 'Bitmap Heap Scan']);
const SORTS = new Set(['Sort', 'Incremental Sort']);
/** A page and the rest of the group in which it ends. */
const INCREMENTAL_ROWS = 2 * PAGE_ROWS;
const COUNTS = new Set(['Aggregate', 'WindowAgg', 'Group', 'Unique', 'SetOp']);

/**
 * @param plan root of the output of `EXPLAIN (FORMAT JSON)`
 * @param large names of the large tables
 * @returns the number of scans of large tables without an index, of sorts of more than a page of a large table that is
 * read without a limit, of nodes that aggregate such rows of large tables, of rows read from these, and of sorted rows
 */
export function judgePlan(plan, large) {
  const nodes = nodesOf(plan);
  const sorts = nodes.filter(node => SORTS.has(node['Node Type']));
  const endless = sorts.filter(node => exceedsPage(node) && readsToTheEnd(node, large));
  const scans = nodes.filter(node => large.has(node['Relation Name']));
  return {
    unindexed: scans.filter(isFullScan).length,
    sorts: endless.length,
    counts: nodes.filter(node => COUNTS.has(node['Node Type']) && countsToTheEnd(node, large)).length,
    rowsRead: total(scans),
    rowsSorted: sorts.reduce((sum, node) => sum + sortedRows(node), 0),
  };
}

/** Returns true if the plan reads a large table. */
export function reads(plan, large) {
  return nodesOf(plan).some(node => large.has(node['Relation Name']));
}

/** Sums the judgements of all statements of one request. */
export function judgePlans(plans, large) {
  const sums = { unindexed: 0, sorts: 0, counts: 0, rowsRead: 0, rowsSorted: 0 };
  for (const plan of plans) {
    for (const [name, value] of Object.entries(judgePlan(plan, large))) sums[name] += value;
  }
  return sums;
}

/** Formats the plan as lines of text. */
export function drawPlan(node, depth = 0) {
  const source = node['Index Name'] ?? node['Relation Name'] ?? node['Function Name'];
  const where = node['Index Cond'] ?? node['Recheck Cond'] ?? node['Hash Cond'];
  const parts = [
    node['Subplan Name'],
    node['Node Type'] + (node['Scan Direction'] === 'Backward' ? ' Backward' : ''),
    source && `on ${source}`,
    node['Sort Key'] && `by ${node['Sort Key'].join(', ')}`,
    node['Actual Rows'] !== undefined && `(${rowsOf(node)} rows)`,
    where && `– ${short(where)}`,
    node.Filter && `– filter ${short(node.Filter)}`,
  ];
  const line = `${'  '.repeat(depth)}${parts.filter(Boolean).join(' ')}`;
  return [line, ...(node.Plans ?? []).flatMap(child => drawPlan(child, depth + 1))];
}

/**
 * Returns true for a scan that no index narrows. The service plans without sequential scans, so a statement without a
 * fitting index may read another one completely, for its order.
 */
function isFullScan(node) {
  if (!BY_INDEX.has(node['Node Type'])) return true;
  return node['Node Type'] !== 'Bitmap Heap Scan' && !node['Index Cond'] && rowsOf(node) > PAGE_ROWS;
}

/** Returns true if the node receives rows of a large table without a limit in between. */
function readsToTheEnd(node, large) {
  if (node['Node Type'] === 'Limit') return false;
  if (large.has(node['Relation Name'])) return true;
  return (node.Plans ?? []).some(child => readsToTheEnd(child, large));
}

/** Subplans of its conditions are not what a node counts. */
function countsToTheEnd(node, large) {
  return (node.Plans ?? []).filter(isInput).some(input => readsToTheEnd(input, large));
}

/** An incremental sort is judged by what it sorts in each loop, not by what a filter has removed before. */
function exceedsPage(sort) {
  if (sort['Node Type'] !== 'Incremental Sort') return sortedRows(sort) > PAGE_ROWS;
  const [input] = sort.Plans.filter(isInput);
  return input['Actual Rows'] > INCREMENTAL_ROWS;
}

function sortedRows(sort) {
  return total((sort.Plans ?? []).filter(isInput));
}

function total(nodes) {
  return nodes.reduce((sum, node) => sum + rowsOf(node), 0);
}

/** Returns true for a node's input, false for subplans that its conditions use. */
function isInput(node) {
  return node['Parent Relationship'] === 'Outer';
}

function short(condition) {
  return condition.replace(/'\{[^}]{80,}\}'/g, "'{…}'");
}

function nodesOf(node) {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Counts the rows that a node read, including discarded ones. */
function rowsOf(node) {
  const each = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Index Recheck'];
  const loops = node['Actual Loops'] ?? 1;
  return Math.round(each.reduce((sum, name) => sum + (node[name] ?? 0), 0) * loops);
}
