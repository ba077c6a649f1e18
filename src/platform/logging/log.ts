import type { LoggerService } from '@nestjs/common';
import pino, { Logger } from 'pino';
import pretty from 'pino-pretty';

/** Where a secret could stand in a logged object; replaced before the line is written. */
const REDACTED = [
  'authorization',
  'password',
  'token',
  'refresh_token',
  'key',
  'secret',
  'ticket',
  'visitor_token',
].flatMap(name => [name, `*.${name}`, `*.*.${name}`]);

/** One line of JSON each, or, on a terminal, one that people read. */
export function createLog(options: { level: string; pretty: boolean }): Logger {
  const settings = {
    level: options.level,
    base: null,
    redact: { paths: REDACTED, censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
    serializers: { err: pino.stdSerializers.err },
  };
  if (!options.pretty) return pino(settings, pino.destination({ sync: true }));
  return pino(
    settings,
    pretty({
      colorize: process.stdout.isTTY,
      ignore: 'context',
      messageFormat: '{msg}',
      translateTime: 'HH:MM:ss',
      sync: true,
    }),
  );
}

type Level = 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal';

/** Where Nest tells, at each start, what it is made of. */
const ASSEMBLY = new Set(['InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'WebSocketsController', 'NestFactory']);

/** Nest's logger interface over the structured log. An object becomes fields, an Error its stack. */
export class NestLog implements LoggerService {
  constructor(private readonly log_: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(ASSEMBLY.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(level: Level, message: unknown, rest: unknown[]): void {
    const context = rest.at(-1);
    const fields = typeof context === 'string' ? { context } : {};
    if (message instanceof Error) this.log_[level]({ ...fields, err: message }, message.message);
    else if (typeof message === 'object' && message !== null) this.log_[level]({ ...fields, ...message });
    else this.log_[level](fields, String(message));
  }
}
