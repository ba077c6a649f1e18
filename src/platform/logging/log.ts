import type { LoggerService } from '@nestjs/common';
import type { DestinationStream } from 'pino';
import pino, { Logger } from 'pino';
import pretty from 'pino-pretty';
import { SECRET_FIELDS } from '../../kernel/secret.js';
import { getRequestId } from '../request/current-request.js';

/** Paths in logged objects that may contain secrets. Their values are replaced. */
const REDACTED = SECRET_FIELDS.flatMap(name => [name, `*.${name}`, `*.*.${name}`]);

/**
 * Returns the loggable fields of an error. Others are left out, because database errors contain the statement's values,
 * which are personal data.
 */
function errorView(error: Error): object {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = pino.stdSerializers.err(error);
  const { code, driverError } = error as { code?: string; driverError?: { code?: string; constraint?: string } };
  return { type, message, stack, code: code ?? driverError?.code, constraint: driverError?.constraint };
}

/** Adds the request id to every line that is logged during a request. */
function requestFields(): object {
  const requestId = getRequestId();
  return requestId === null ? {} : { requestId };
}

export interface LogOptions {
  level: string;
  /** Formats lines for a terminal; otherwise each line is JSON. */
  pretty: boolean;
  /** Destination of JSON lines; standard output by default. */
  destination?: DestinationStream;
}

export function createLog({ level, pretty: readable, destination }: LogOptions): Logger {
  const settings = {
    level,
    base: null,
    redact: { paths: REDACTED, censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (name: string) => ({ level: name }) },
    serializers: { err: errorView },
    mixin: requestFields,
  };
  if (!readable) return pino(settings, destination ?? pino.destination({ sync: true }));
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

/** Contexts in which Nest logs its modules and routes at each start. They are logged at level debug. */
const STARTUP_CONTEXTS = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'WebSocketsController',
  'NestFactory',
]);

/** Nest's logger interface over the structured log. An object becomes fields, an Error its stack. */
export class NestLog implements LoggerService {
  constructor(private readonly log_: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(STARTUP_CONTEXTS.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
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
