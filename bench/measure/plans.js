/**
 * What is wrong with a plan of PostgreSQL where tables are large: a table that is read whole, rows that are sorted or
 * counted before a page of them is known. To sort a page, or some lists that each end after one, is nothing wrong: it
 * costs the same however large the table is.
 */

/** Rows of a page, and the one that tells that there is another. */
const PAGE_ROWS = 51;

const BY_INDEX = new Set(['Index Scan', 'Index Only Scan', 'Bitmap Heap Scan']);
const SORTS = new Set(['Sort', 'Incremental Sort']);
const COUNTS = new Set(['Aggregate', 'WindowAgg', 'Group', 'Unique', 'SetOp']);

/**
 * @param plan as `EXPLAIN (FORMAT JSON)` says it, its root
 * @param large the names of the tables that are
 * @returns how many scans of large tables go by no index, how many sorts are of more than a page and of a large table
 *   that is read without an end, how many nodes put rows of large tables together, how many rows of these are read, and
 *   how many rows are sorted, be it a page
 */
export function judgePlan(plan, large) {
  const nodes = nodesOf(plan);
  const sorts = nodes.filter(node => SORTS.has(node['Node Type']));
  const endless = sorts.filter(node => sortedRows(node) > PAGE_ROWS && readsToTheEnd(node, large));
  const scans = nodes.filter(node => large.has(node['Relation Name']));
  return {
    unindexed: scans.filter(node => !BY_INDEX.has(node['Node Type'])).length,
    sorts: endless.length,
    counts: nodes.filter(node => COUNTS.has(node['Node Type']) && reads(node, large)).length,
    rowsRead: total(scans),
    rowsSorted: sorts.reduce((sum, node) => sum + sortedRows(node), 0),
  };
}

/** Whether the plan reads a large table at all. */
export function reads(plan, large) {
  return nodesOf(plan).some(node => large.has(node['Relation Name']));
}

/** What several statements come to that answer one request. */
export function judgePlans(plans, large) {
  const sums = { unindexed: 0, sorts: 0, counts: 0, rowsRead: 0, rowsSorted: 0 };
  for (const plan of plans) {
    for (const [name, value] of Object.entries(judgePlan(plan, large))) sums[name] += value;
  }
  return sums;
}

/** The plan in lines, as one reads it. */
export function drawPlan(node, depth = 0) {
  const place = node['Index Name'] ?? node['Relation Name'] ?? node['Function Name'];
  const where = node['Index Cond'] ?? node['Recheck Cond'] ?? node['Hash Cond'];
  const parts = [
    node['Subplan Name'],
    node['Node Type'] + (node['Scan Direction'] === 'Backward' ? ' Backward' : ''),
    place && `on ${place}`,
    node['Sort Key'] && `by ${node['Sort Key'].join(', ')}`,
    node['Actual Rows'] !== undefined && `(${rowsOf(node)} rows)`,
    where && `– ${short(where)}`,
    node.Filter && `– filter ${short(node.Filter)}`,
  ];
  const line = `${'  '.repeat(depth)}${parts.filter(Boolean).join(' ')}`;
  return [line, ...(node.Plans ?? []).flatMap(child => drawPlan(child, depth + 1))];
}

/** Whether rows of a large table come to the node with no limit in between. */
function readsToTheEnd(node, large) {
  if (node['Node Type'] === 'Limit') return false;
  if (large.has(node['Relation Name'])) return true;
  return (node.Plans ?? []).some(child => readsToTheEnd(child, large));
}

function sortedRows(sort) {
  return total((sort.Plans ?? []).filter(isInput));
}

function total(nodes) {
  return nodes.reduce((sum, node) => sum + rowsOf(node), 0);
}

/** Beside what a node works on stand the plans whose answers its conditions use. */
function isInput(node) {
  return node['Parent Relationship'] === 'Outer';
}

function short(condition) {
  return condition.replace(/'\{[^}]{80,}\}'/g, "'{…}'");
}

function nodesOf(node) {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Those that were thrown away too: they were read. */
function rowsOf(node) {
  const each = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Index Recheck'];
  const loops = node['Actual Loops'] ?? 1;
  return Math.round(each.reduce((sum, name) => sum + (node[name] ?? 0), 0) * loops);
}
