import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const COMMANDS = [
  'open',
  'receive',
  'close',
  'drive',
  'connects',
  'logins',
  'gather',
  'cut',
  'back',
  'lacking',
  'stall',
];
const program = resolve(import.meta.dirname, 'load/process.js');

/**
 * Starts a load generator for one server in a separate process. Its methods, each with one argument, are the commands
 * of `load/process.js`; errors there are thrown here.
 */
export function startLoad() {
  const child = fork(program);
  const cut = () => child.kill('SIGKILL');
  process.once('exit', cut);
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`the load generator exited with ${signal ?? code}`);
  });
  ended.catch(() => undefined);
  const ask = command => async wants => {
    child.send({ command, wants: wants ?? {} });
    const [{ result, error }] = await Promise.race([once(child, 'message'), ended]);
    if (error !== undefined) throw new Error(error);
    return result;
  };
  return {
    pid: child.pid,
    ...Object.fromEntries(COMMANDS.map(command => [command, ask(command)])),
    stop() {
      process.off('exit', cut);
      child.kill('SIGKILL');
    },
  };
}
