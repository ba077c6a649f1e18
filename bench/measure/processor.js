import { readdirSync, readFileSync } from 'node:fs';

/**
 * Seconds of processor, out of `/proc`: of a process with all that it has started, dead or alive, and of everything
 * else on the machine. Where there is no `/proc` all figures are NaN, and no round is found disturbed.
 */

/** USER_HZ; every Linux that Node runs on has it so. */
const TICKS = 100;

/** What `pids` and their descendants have used; children that were waited for count through their parents. */
export function secondsOf(pids) {
  let ticks = 0;
  for (const pid of pids) {
    try {
      ticks += ticksOf(pid);
      for (const child of childrenOf(pid)) ticks += secondsOf([child]) * TICKS;
    } catch (error) {
      if (!existsProc()) return Number.NaN;
      if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error;
    }
  }
  return ticks / TICKS;
}

/** Own time and that of children that have ended and were waited for. */
function ticksOf(pid) {
  const fields = fieldsOf(`/proc/${pid}/stat`);
  return Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14]);
}

function fieldsOf(file) {
  // the name, in brackets, may hold spaces
  return readFileSync(file, 'latin1').split(') ').at(-1).split(' ');
}

function childrenOf(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap(thread =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
  );
}

/** What processes of the machine have used; not what interrupts took, which belong to none. */
function machineSeconds() {
  try {
    const [user, nice, system] = readFileSync('/proc/stat', 'latin1')
      .split('\n', 1)[0]
      .split(/ +/)
      .slice(1)
      .map(Number);
    return (user + nice + system) / TICKS;
  } catch {
    return Number.NaN;
  }
}

function existsProc() {
  try {
    return readFileSync('/proc/self/stat').length > 0;
  } catch {
    return false;
  }
}

/**
 * Begins to watch the main thread of a process alone: whatever is slow belongs into others.
 * @returns what ends it: how much of a core it had
 */
export function watchMainThread(pid) {
  const seconds = () => {
    try {
      const fields = fieldsOf(`/proc/${pid}/task/${pid}/stat`);
      return (Number(fields[11]) + Number(fields[12])) / TICKS;
    } catch {
      return Number.NaN;
    }
  };
  const [begun, before] = [performance.now(), seconds()];
  return () => ((seconds() - before) * 1000) / (performance.now() - begun);
}

/**
 * Begins to watch.
 * @param watched names with lists of pids, e.g. `{server: [12], database: [15]}`
 * @param ours the process that everything of the benchmark descends from
 * @returns what ends it: `{seconds, foreign, …}`, seconds of processor under each name, and the cores that others had
 */
export function watch(watched, ours) {
  const sample = () => ({
    at: performance.now(),
    machine: machineSeconds(),
    ours: secondsOf([ours]),
    each: Object.fromEntries(Object.entries(watched).map(([name, pids]) => [name, secondsOf(pids)])),
  });
  const before = sample();
  return () => {
    const after = sample();
    const seconds = (after.at - before.at) / 1000;
    const foreign = after.machine - before.machine - (after.ours - before.ours);
    return {
      seconds,
      foreign: Number.isNaN(foreign) ? 0 : Math.max(0, foreign / seconds),
      ...Object.fromEntries(Object.keys(watched).map(name => [name, after.each[name] - before.each[name]])),
    };
  };
}
