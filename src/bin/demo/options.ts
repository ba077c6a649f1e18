import { parseArgs } from 'node:util';

export interface DemoOptions {
  /** A file of dialogues; our own when undefined. */
  dialogues: string | undefined;
  /** Times a person's pace; 0 is as fast as possible. */
  speed: number;
  atOnce: number;
  limit: number | undefined;
  /** Stop after the play instead of staying up. */
  exit: boolean;
}

export const USAGE = 'Usage: npm run demo -- [--dialogues FILE] [--speed N] [--at-once N] [--limit N] [--exit]';

/** @throws Error of one line that says which argument is wrong */
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
    // the first sentence names the argument; the rest explains how to pass one that begins with a dash
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
