import { randomUUID } from 'node:crypto';
import type { AgentClient } from '@support-chat/sdk';
import { planDesk } from './desk-plan.js';
import type { Routing } from './desk-work.js';
import { DialoguePlay, type PlayContext } from './dialogue-play.js';
import type { Dialogue } from './dialogue.js';
import { OnlineAgent } from './online-agent.js';
import { Pace } from './pace.js';
import { personAt } from './people.js';
import type { PlayRecord } from './play-record.js';
import type { Failure, Progress, Summary } from './report.js';
import { transcript, type TranscriptStyle } from './transcript.js';

export interface PlayOptions {
  baseUrl: string;
  wsBaseUrl?: string | undefined;
  /** At least two clients that are logged in. The service assigns each dialogue to one of these agents. */
  agents: readonly AgentClient[];
  /** The channel's mode. */
  routing: Routing;
  widgetToken: string;
  dialogues: readonly Dialogue[];
  /** Maximum number of dialogues. */
  limit?: number | undefined;
  /** Number of concurrent dialogues; 1 by default. */
  concurrency?: number | undefined;
  /** Multiple of a person's speed; 0 or Infinity is as fast as possible, and 0 is the default. */
  speed?: number | undefined;
  /** Milliseconds until a frame counts as missing; 10,000 by default. */
  patienceMs?: number | undefined;
  style?: TranscriptStyle | undefined;
  /** Called with the transcript of each finished dialogue, as one block. */
  onDialogue?: ((transcriptBlock: string) => void) | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * Plays dialogues over real HTTP and real sockets. Each message must arrive on the other side's socket before the next
 * is sent, the service must do its part of the desk's work, and both histories must contain exactly what was sent. The
 * summary lists failed dialogues; the others continue.
 * @throws ApiError when the socket of an agent cannot be opened
 */
export async function playDialogues(options: PlayOptions): Promise<Summary> {
  const dialogues = options.dialogues.slice(0, options.limit);
  const started = performance.now();
  const pace = new Pace(options.speed ?? 0);
  const agents = await Promise.all(options.agents.map(client => OnlineAgent.connect(client)));
  const context: PlayContext = { ...options, agents, pace, patienceMs: options.patienceMs ?? 10_000 };
  const summary: Summary = { dialogues: 0, messages: 0, frames: 0, seconds: 0, outcomes: [], failures: [] };
  const run = randomUUID();
  const playOne = async (dialogue: Dialogue, index: number): Promise<void> => {
    // a new contact each time: a visitor has at most one unresolved conversation, and a known one has a history
    const contact = { ...personAt(index), externalId: `demo-${run}-${index}` };
    const play = new DialoguePlay(context, dialogue, planDesk(dialogue, index), contact);
    const error = await play.run().then(() => undefined, toError);
    addToSummary(summary, play.record, error && { dialogue: dialogue.id, error });
    options.onDialogue?.(renderBlock(dialogue, play.record, error, options.style));
    const { dialogues: played, messages, failures } = summary;
    options.onProgress?.({ played, total: dialogues.length, messages, failed: failures.length });
  };
  try {
    await runConcurrently(options.concurrency ?? 1, dialogues, playOne);
  } finally {
    for (const agent of agents) agent.disconnect();
  }
  return { ...summary, seconds: (performance.now() - started) / 1000 };
}

function addToSummary(summary: Summary, record: PlayRecord, failure: Failure | undefined): void {
  summary.dialogues += 1;
  summary.messages += record.messages;
  summary.frames += record.frames;
  summary.outcomes.push(record.outcome);
  if (failure) summary.failures.push(failure);
}

function renderBlock(
  { id: title, topics }: Dialogue,
  { messages, lines }: PlayRecord,
  error: Error | undefined,
  style?: TranscriptStyle,
): string {
  const outcome = error ? `failed: ${error.message}` : `${messages} messages, each seen by both sides`;
  return transcript({ title, topics, lines, outcome, failed: error !== undefined }, style);
}

/** Processes items in order, up to `concurrency` at a time. */
async function runConcurrently<T>(
  concurrency: number,
  all: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const rest = all.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of rest) await work(item, index);
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.floor(concurrency)) }, worker));
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
