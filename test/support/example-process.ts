import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { eventually } from './eventually.js';
import { stoppedAtEnd } from './jest/leftovers.js';
import { checkout } from './service-process.js';

/** A server of `examples` in a process of its own, on a free port. */
export class ExampleProcess {
  private constructor(
    readonly url: string,
    /** Lines that it has printed since it listens. */
    readonly lines: readonly string[],
    readonly stop: () => Promise<void>,
  ) {}

  /** Starts it and waits until it listens. @throws Error with its output if it ends */
  static async start(name: string, env: Record<string, string>): Promise<ExampleProcess> {
    const { PATH = '' } = process.env;
    const child = spawn(process.execPath, [`examples/${name}/server.js`], {
      cwd: checkout,
      env: { PATH, PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'close');
    const stop = stoppedAtEnd(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', line => lines.push(line));
    const first = await eventually(() => {
      if (child.exitCode !== null) throw new Error(`${name} ended:\n${lines.join('\n')}`);
      return lines.shift();
    }, 20_000);
    return new ExampleProcess(first.replace('listening on ', ''), lines, stop);
  }
}
