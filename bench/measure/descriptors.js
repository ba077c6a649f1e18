import { readdirSync, readFileSync } from 'node:fs';

/** @returns why a process of this benchmark cannot have so many files open, or null */
export function descriptorsShort(needed, allowed = allowedDescriptors()) {
  return allowed < needed ? `that takes ${needed} file descriptors, and \`ulimit -n\` allows ${allowed}` : null;
}

/** Node has raised the soft limit to the hard one, and those whom it starts inherit that. */
function allowedDescriptors() {
  try {
    const [, soft] = /^Max open files +(\S+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return soft === undefined || soft === 'unlimited' ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}

/** How many files and sockets a process has open; NaN where there is no `/proc`. */
export function openDescriptors(pid) {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return Number.NaN;
  }
}
