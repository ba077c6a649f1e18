/** Progress of a run. */
export interface Progress {
  played: number;
  total: number;
  messages: number;
  failed: number;
}

export interface Failure {
  dialogue: string;
  error: Error;
}

/** Result of a run. */
export interface Summary {
  dialogues: number;
  /** Messages that the service acknowledged. */
  messages: number;
  /** Messages that arrived on the other side's socket. */
  frames: number;
  seconds: number;
  failures: Failure[];
}

const count = (number: number, noun: string): string =>
  `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;

/** Formats a line like `played 128 of 512 dialogues, 1,630 messages`. */
export function progressLine({ played, total, messages, failed }: Progress): string {
  const line = `played ${played} of ${count(total, 'dialogue')}, ${count(messages, 'message')}`;
  return failed === 0 ? line : `${line}, ${failed} failed`;
}

/** Formats the result of a run: the counts, then each failed dialogue with its error. */
export function summaryText({ dialogues, messages, frames, seconds, failures }: Summary): string {
  const rate = seconds > 0 ? ` (${Math.round(messages / seconds).toLocaleString('en-US')} a second)` : '';
  return [
    `${count(dialogues, 'dialogue')} played in ${seconds.toFixed(1)} s`,
    `${count(messages, 'message')} sent${rate}, ${count(frames, 'frame')} delivered to the other side`,
    ...failures.map(({ dialogue, error }) => `failed: ${dialogue}: ${error.message}`),
    '',
  ].join('\n');
}
