/** The demo's player. It needs a running service; `main.ts` starts one. */
export { loadDialogues, type Dialogue } from './dialogue.js';
export { playDialogues, type PlayOptions } from './player.js';
export type { DeskOutcome } from './play-record.js';
export { progressLine, summaryText, type Failure, type Progress, type Summary } from './report.js';
export { transcript, type Transcript, type TranscriptStyle } from './transcript.js';
