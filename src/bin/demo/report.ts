/** How far a play has come. */
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

/** What a play has come to. */
export interface Summary {
  dialogues: number;
  /** Acknowledged by the service. */
  messages: number;
  /** Of these, seen by the other side on its own socket. */
  frames: number;
  seconds: number;
  failures: Failure[];
}

const count = (number: number, noun: string): string =>
  `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;

/** `played 128 of 512 dialogues, 1,630 messages` */
export function progressLine({ played, total, messages, failed }: Progress): string {
  const line = `played ${played} of ${count(total, 'dialogue')}, ${count(messages, 'message')}`;
  return failed === 0 ? line : `${line}, ${failed} failed`;
}

/** The last lines of a play: what was played and delivered, then each dialogue that failed with its reason. */
export function summaryText({ dialogues, messages, frames, seconds, failures }: Summary): string {
  const rate = seconds > 0 ? ` (${Math.round(messages / seconds).toLocaleString('en-US')} a second)` : '';
  return [
    `${count(dialogues, 'dialogue')} played in ${seconds.toFixed(1)} s`,
    `${count(messages, 'message')} said${rate}, ${count(frames, 'frame')} delivered to the other side`,
    ...failures.map(({ dialogue, error }) => `failed: ${dialogue}: ${error.message}`),
    '',
  ].join('\n');
}
