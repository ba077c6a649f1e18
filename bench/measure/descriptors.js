import { readdirSync, readFileSync } from 'node:fs';

/** @returns why a process cannot open `needed` files, or null */
export function descriptorsShort(needed, allowed = allowedDescriptors()) {
  return allowed < needed ? `that takes ${needed} file descriptors, and \`ulimit -n\` allows ${allowed}` : null;
}

/** Reads the limit, which Node has raised to the hard limit; child processes inherit it. */
function allowedDescriptors() {
  try {
    const [, soft] = /^Max open files +(\S+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return soft === undefined || soft === 'unlimited' ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}

/** Returns the number of open files and sockets of a process; NaN without `/proc`. */
export function openDescriptors(pid) {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return Number.NaN;
  }
}
