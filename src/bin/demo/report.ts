import type { DeskOutcome } from './play-record.js';

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
  /** Acts of the desk in each dialogue. */
  outcomes: DeskOutcome[];
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
export function summaryText({ dialogues, messages, frames, seconds, outcomes, failures }: Summary): string {
  const rate = seconds > 0 ? ` (${Math.round(messages / seconds).toLocaleString('en-US')} a second)` : '';
  return [
    `${count(dialogues, 'dialogue')} played in ${seconds.toFixed(1)} s`,
    `${count(messages, 'message')} sent${rate}, ${count(frames, 'frame')} delivered to the other side`,
    ...deskLines(outcomes),
    ...failures.map(({ dialogue, error }) => `failed: ${dialogue}: ${error.message}`),
    '',
  ].join('\n');
}

function deskLines(outcomes: readonly DeskOutcome[]): string[] {
  const assignees = outcomes.flatMap(({ assignee = [] }) => assignee);
  const notified = outcomes.flatMap(({ notified: how = [] }) => how);
  const inListOnly = notified.filter(how => how === 'list').length;
  const scores = outcomes.flatMap(({ score = [] }) => score);
  const average = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return [
    `${count(assignees.length, 'conversation')} assigned by the service${listShares(assignees)}`,
    `${count(outcomes.filter(({ tags }) => tags).length, 'conversation')} tagged`,
    `${count(outcomes.filter(({ woken }) => woken).length, 'conversation')} snoozed, and woken by the contact`,
    `${count(outcomes.filter(({ photo }) => photo).length, 'photo')} sent, and opened by the agent`,
    `${count(notified.length, 'mention')} notified${inListOnly > 0 ? `, ${inListOnly} in the list only` : ' on the socket'}`,
    `${count(scores.length, 'rating')}${scores.length > 0 ? `, ${average.toFixed(1)} of 5 on average` : ''}`,
  ];
}

/** `: Olivia 4, Sam 5` */
function listShares(names: readonly string[]): string {
  const shares = [...new Set(names)].sort().map(name => `${name} ${names.filter(other => other === name).length}`);
  return shares.length > 0 ? `: ${shares.join(', ')}` : '';
}
