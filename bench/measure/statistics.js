/** @param part from 0 to 1 @returns NaN for an empty list */
export function quantile(values, part) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** Returns the median; NaN for an empty list. */
export function median(values) {
  const sorted = Float64Array.from(values).sort();
  const upper = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[upper] : (sorted[upper - 1] + sorted[upper]) / 2;
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the slope of the least-squares line through `[x, y]` pairs; NaN for fewer than two. */
export function slope(pairs) {
  const [middle, height] = [mean(pairs.map(([x]) => x)), mean(pairs.map(([, y]) => y))];
  const spreads = pairs.map(([x]) => (x - middle) ** 2);
  const rises = pairs.map(([x, y]) => (x - middle) * (y - height));
  return mean(rises) / mean(spreads);
}

/** Returns `{median, min, max, count}`, ignoring missing values. */
export function spread(values) {
  const known = values.filter(value => Number.isFinite(value));
  return { median: median(known), min: Math.min(...known), max: Math.max(...known), count: known.length };
}

/** Returns a seeded random generator of numbers from 0 to 1 (mulberry32), so that a shuffle can be repeated. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Returns a shuffled copy (Fisher-Yates). */
export function shuffled(items, next) {
  const copy = [...items];
  for (let last = copy.length - 1; last > 0; last -= 1) {
    const other = Math.floor(next() * (last + 1));
    [copy[last], copy[other]] = [copy[other], copy[last]];
  }
  return copy;
}
