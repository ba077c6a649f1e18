import { readdirSync, readFileSync } from 'node:fs';

/** Ids of the processes that a process has started and that live. */
export function childrenOf(pid: number): number[] {
  const numbers = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  return numbers.map(Number).filter(each => {
    try {
      // pid (name) state ppid …, and a name may hold anything but it ends with the last bracket
      const [, ppid] = readFileSync(`/proc/${each}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return Number(ppid) === pid;
    } catch {
      return false;
    }
  });
}
