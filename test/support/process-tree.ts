import { readdirSync, readFileSync } from 'node:fs';

/** Pids of the running children of a process. */
export function childrenOf(pid: number): number[] {
  const numbers = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  return numbers.map(Number).filter(each => {
    try {
      // The format is `pid (name) state ppid …`. The name may contain anything, but the last bracket ends it.
      const [, ppid] = readFileSync(`/proc/${each}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return Number(ppid) === pid;
    } catch {
      return false;
    }
  });
}
