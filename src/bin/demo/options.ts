import { parseArgs } from 'node:util';

export interface DemoOptions {
  /** File with dialogues; undefined for the built-in ones. */
  dialogues: string | undefined;
  /** Multiple of a person's speed; 0 is as fast as possible. */
  speed: number;
  /** Number of concurrent dialogues. */
  atOnce: number;
  limit: number | undefined;
  /** Stops the service after the last dialogue. */
  exit: boolean;
}

export const USAGE = 'Usage: npm run demo -- [--dialogues FILE] [--speed N] [--at-once N] [--limit N] [--exit]';

/** @throws Error with a one-line message that names the invalid argument */
export function readOptions(argv: string[]): DemoOptions {
  const { values } = parse(argv);
  return {
    dialogues: values.dialogues,
    speed: numberOf('speed', values.speed, 0) ?? 40,
    atOnce: wholeNumberOf('at-once', values['at-once']) ?? 1,
    limit: wholeNumberOf('limit', values.limit),
    exit: values.exit,
  };
}

function parse(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      options: {
        dialogues: { type: 'string' },
        speed: { type: 'string' },
        'at-once': { type: 'string' },
        limit: { type: 'string' },
        exit: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    // the first sentence of Node's message names the argument; the rest explains values that begin with a dash
    const [first = ''] = (error as Error).message.split(/\.\s|\n/);
    throw new Error(`${first.replace(/\.$/, '')}.`, { cause: error });
  }
}

function numberOf(name: string, text: string | undefined, min: number): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? NaN : Number(text);
  if (Number.isFinite(value) && value >= min) return value;
  throw new Error(`--${name} must be a number of at least ${min}, not "${text}".`);
}

function wholeNumberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,8}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new Error(`--${name} must be a whole number of at least 1, not "${text}".`);
}
