import { readdirSync, readFileSync } from 'node:fs';

/**
 * Processor seconds from `/proc`: of a process with all its descendants, running or ended, and of all other processes.
 * Without `/proc` all figures are NaN, and no round counts as disturbed.
 */

/** USER_HZ, which is 100 on every Linux that Node supports. */
const TICKS = 100;

/** Returns the seconds of `pids` and their descendants; ended children count through their parents. */
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

/** Returns the time of the process and of its ended children. */
function ticksOf(pid) {
  const fields = fieldsOf(`/proc/${pid}/stat`);
  return Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14]);
}

function fieldsOf(file) {
  // the name, in brackets, may contain spaces
  return readFileSync(file, 'latin1').split(') ').at(-1).split(' ');
}

function childrenOf(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap(thread =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
  );
}

/** Returns the seconds of all processes of the machine, without interrupts, which belong to no process. */
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
 * Starts measuring the main thread of a process, which slow work must not block.
 * @returns a function that returns the thread's share of a core
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
 * Starts measuring.
 * @param watched names with lists of pids, e.g. `{server: [12], database: [15]}`
 * @param ours the root process of the benchmark
 * @returns a function that returns `{seconds, foreign, …}`: processor seconds by name, and the cores of other processes
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
