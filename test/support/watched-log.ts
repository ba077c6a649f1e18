import type { Logger } from 'pino';
import pino from 'pino';
import { createLog } from '../../src/platform/logging/log.js';
import { assertNoSecretsLogged } from './leaks.js';

/** Captures the log at level trace to check it for secrets. The listener gets only the configured level. */
export class WatchedLog {
  private readonly lines: string[] = [];
  readonly log: Logger;

  constructor(level: string, listener: { write(line: string): unknown } = process.stdout) {
    const minLevel = pino.levels.values[level] ?? Infinity;
    const isForListener = (line: string) =>
      (pino.levels.values[/^\{"level":"(\w+)"/.exec(line)?.[1] ?? ''] ?? 0) >= minLevel;
    const write = (line: string): void => {
      this.lines.push(line);
      if (isForListener(line)) listener.write(line);
    };
    this.log = createLog({ level: 'trace', pretty: false, destination: { write } });
  }

  /** @throws Leaked */
  assertNoSecrets(): void {
    assertNoSecretsLogged(this.lines);
  }
}
