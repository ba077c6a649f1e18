import { VARIABLES } from './env.js';

export interface MisspelledVariable {
  name: string;
  /** The variable of the service that the name resembles. */
  meant: string;
}

/**
 * Finds set variables that the service does not read but that resemble one it reads: one edit away, two edits for names
 * of ten letters or more, or a name without its last word (`WS_PING_INTERVAL`). Short names (`HOST`, `PORT`) resemble
 * too many unrelated variables and are skipped. Empty variables are ignored; values are not read otherwise.
 */
export function misspelledVariables(
  source: Record<string, string | undefined> = process.env,
): readonly MisspelledVariable[] {
  const known = Object.keys(VARIABLES);
  return Object.keys(source)
    .filter(name => source[name]?.trim() && !known.includes(name))
    .sort()
    .flatMap(name => {
      const meant = nearest(name.toUpperCase(), known);
      return meant === undefined ? [] : [{ name, meant }];
    });
}

/** Returns a warning for the log, or null when nothing was found. */
export function misspelledWarning(found: readonly MisspelledVariable[]): string | null {
  if (found.length === 0) return null;
  const list = found.map(({ name, meant }) => `${name} (did you mean ${meant}?)`).join(', ');
  return `environment variables that the service does not read: ${list}`;
}

function nearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map(candidate => ({ candidate, distance: distanceTo(candidate, name) }))
    .filter(({ distance }) => distance < Infinity)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}

function distanceTo(candidate: string, name: string): number {
  if (name.includes('_') && /^_[^_]+$/.test(candidate.slice(name.length)) && candidate.startsWith(name)) return 1;
  const allowed = candidate.length >= 10 ? 2 : candidate.length >= 6 ? 1 : 0;
  if (Math.abs(candidate.length - name.length) > allowed) return Infinity;
  const distance = editDistance(candidate, name);
  return distance <= allowed ? distance : Infinity;
}

/** Damerau–Levenshtein distance (optimal string alignment): insertions, deletions, substitutions, transpositions. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_value, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(best);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
