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
  /** Logged in; answers in every dialogue. */
  agent: AgentClient;
  widgetToken: string;
  dialogues: readonly Dialogue[];
  /** No more dialogues than this. */
  limit?: number | undefined;
  /** Dialogues at the same time, 1 unless told. */
  concurrency?: number | undefined;
  /** Times a person's pace; 0 or Infinity, as fast as possible, unless told. */
  speed?: number | undefined;
  /** Milliseconds until a frame counts as missing, 10,000 unless told. */
  patienceMs?: number | undefined;
  style?: TranscriptStyle | undefined;
  /** Hears of each dialogue once it is over, as one block, however many are played at once. */
  onDialogue?: ((transcriptBlock: string) => void) | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * Plays dialogues over real HTTP and real sockets: each message must show up on the other side's socket before the
 * next is said, and both histories must hold what was said. A dialogue that fails is told in the summary, and the
 * others go on.
 * @throws ApiError when the agent's own socket cannot be opened
 */
export async function playDialogues(options: PlayOptions): Promise<Summary> {
  const { agent, patienceMs = 10_000 } = options;
  const dialogues = options.dialogues.slice(0, options.limit);
  const started = performance.now();
  const { member } = await agent.me();
  const pace = new Pace(options.speed ?? 0);
  const socket = await agent.connect();
  const stage: PlayContext = {
    ...options,
    agentName: member.name,
    agentDeliveries: new Deliveries(socket, patienceMs),
    agentTyping: throttle(id => socket.typing(id)),
    pace,
    patienceMs,
  };
  const tally = { played: 0, messages: 0, frames: 0, failures: [] as Failure[] };
  const run = randomUUID();
  const playOne = async (dialogue: Dialogue, index: number): Promise<void> => {
    // A contact of its own: a visitor has one unresolved conversation at most, and a known one has a past.
    const play = new DialoguePlay(stage, dialogue, { ...personAt(index), externalId: `demo-${run}-${index}` });
    const error = await play.run().then(() => undefined, toError);
    if (error) tally.failures.push({ dialogue: dialogue.id, error });
    tally.played += 1;
    tally.messages += play.sent.length;
    tally.frames += play.frames;
    options.onDialogue?.(blockOf(dialogue, play, error, options.style));
    const { played, messages, failures } = tally;
    options.onProgress?.({ played, total: dialogues.length, messages, failed: failures.length });
  };
  try {
    await atOnce(options.concurrency ?? 1, dialogues, playOne);
  } finally {
    socket.close();
  }
  const { played, ...rest } = tally;
  return { dialogues: played, ...rest, seconds: (performance.now() - started) / 1000 };
}

function blockOf(dialogue: Dialogue, play: DialoguePlay, error: Error | undefined, style?: TranscriptStyle): string {
  const outcome = error
    ? `failed: ${error.message}`
    : `resolved after ${play.sent.length} messages, each seen by both sides`;
  const { id: title, topics } = dialogue;
  return transcript({ title, topics, lines: play.lines, outcome, failed: error !== undefined }, style);
}

/** Works on `width` items at a time, in order. */
async function atOnce<T>(
  width: number,
  all: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const rest = all.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of rest) await work(item, index);
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.floor(width)) }, worker));
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
