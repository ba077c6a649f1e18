import { randomUUID } from 'node:crypto';
import type { AgentClient } from '@support-chat/sdk';
import { Deliveries } from './deliveries.js';
import { DialoguePlay, type PlayContext } from './dialogue-play.js';
import type { Dialogue } from './dialogue.js';
import { throttle, Pace } from './pace.js';
import { personAt } from './people.js';
import type { Failure, Progress, Summary } from './report.js';
import { transcript, type TranscriptStyle } from './transcript.js';

export interface PlayOptions {
  baseUrl: string;
  wsBaseUrl?: string | undefined;
  /** A client that is logged in. This agent answers in every dialogue. */
  agent: AgentClient;
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
 * is sent, and both histories must contain all sent messages. The summary lists failed dialogues; the others continue.
 * @throws ApiError when the agent's own socket cannot be opened
 */
export async function playDialogues(options: PlayOptions): Promise<Summary> {
  const { agent, patienceMs = 10_000 } = options;
  const dialogues = options.dialogues.slice(0, options.limit);
  const started = performance.now();
  const { member } = await agent.me();
  const pace = new Pace(options.speed ?? 0);
  const socket = await agent.connect();
  const context: PlayContext = {
    ...options,
    agentName: member.name,
    agentDeliveries: new Deliveries(socket, patienceMs),
    agentTyping: throttle(id => socket.typing(id)),
    pace,
    patienceMs,
  };
  const totals = { played: 0, messages: 0, frames: 0, failures: [] as Failure[] };
  const run = randomUUID();
  const playOne = async (dialogue: Dialogue, index: number): Promise<void> => {
    // a new contact each time: a visitor has at most one unresolved conversation, and a known one has a history
    const play = new DialoguePlay(context, dialogue, { ...personAt(index), externalId: `demo-${run}-${index}` });
    const error = await play.run().then(() => undefined, toError);
    if (error) totals.failures.push({ dialogue: dialogue.id, error });
    totals.played += 1;
    totals.messages += play.sent.length;
    totals.frames += play.frames;
    options.onDialogue?.(renderBlock(dialogue, play, error, options.style));
    const { played, messages, failures } = totals;
    options.onProgress?.({ played, total: dialogues.length, messages, failed: failures.length });
  };
  try {
    await runConcurrently(options.concurrency ?? 1, dialogues, playOne);
  } finally {
    socket.close();
  }
  const { played, ...rest } = totals;
  return { dialogues: played, ...rest, seconds: (performance.now() - started) / 1000 };
}

function renderBlock(
  dialogue: Dialogue,
  play: DialoguePlay,
  error: Error | undefined,
  style?: TranscriptStyle,
): string {
  const outcome = error
    ? `failed: ${error.message}`
    : `resolved after ${play.sent.length} messages, each seen by both sides`;
  const { id: title, topics } = dialogue;
  return transcript({ title, topics, lines: play.lines, outcome, failed: error !== undefined }, style);
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
