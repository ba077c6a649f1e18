import type { Logger } from 'pino';
import pino from 'pino';
import { createLog } from '../../src/platform/logging/log.js';
import { assertNoneTold } from './leaks.js';

/** A log that is written at the finest level, for the eyes of a test alone; others get what they asked for. */
export class WatchedLog {
  private readonly lines: string[] = [];
  readonly log: Logger;

  constructor(level: string, listener: { write(line: string): unknown } = process.stdout) {
    const wanted = pino.levels.values[level] ?? Infinity;
    const heard = (line: string) => (pino.levels.values[/^\{"level":"(\w+)"/.exec(line)?.[1] ?? ''] ?? 0) >= wanted;
    const write = (line: string): void => {
      this.lines.push(line);
      if (heard(line)) listener.write(line);
    };
    this.log = createLog({ level: 'trace', pretty: false, destination: { write } });
  }

  /** @throws Leaked */
  assertNoneTold(): void {
    assertNoneTold(this.lines);
  }
}
