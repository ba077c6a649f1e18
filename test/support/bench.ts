import { it } from '@jest/globals';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

interface KeptRun {
  mode: string;
  cut: string | null;
  commit: string;
  scenarios: { cases: { opponents: { rounds: object[] }[] }[] }[];
}

/** Types of the exports of `bench/`, which is plain JavaScript. */
interface Bench {
  'measure/statistics.js': {
    quantile(values: number[], part: number): number;
    median(values: number[]): number;
    slope(pairs: [number, number][]): number;
    spread(values: number[]): { median: number; min: number; max: number; count: number };
    random(seed: number): () => number;
    shuffled<T>(items: T[], next: () => number): T[];
  };
  'measure/figures.js': {
    gather(rounds: Record<string, number>[]): {
      figures: Record<string, { median: number; count: number }>;
      disturbed: boolean;
    };
  };
  'measure/descriptors.js': { descriptorsShort(needed: number, allowed?: number): string | null };
  'measure/processor.js': {
    watch(watched: Record<string, number[]>, ours: number): () => Record<string, number>;
  };
  'measure/plans.js': {
    judgePlan(plan: Plan, large: Set<string>): PlanJudged;
    judgePlans(plans: Plan[], large: Set<string>): PlanJudged;
    reads(plan: Plan, large: Set<string>): boolean;
    drawPlan(plan: Plan): string[];
  };
  'explain.js': { readPlans(log: string, database: string): { text: string; plan: Plan }[] };
  'figure.js': { figure(runs: object[]): string; keptRuns(): KeptRun[] };
  'budget.js': { Budget: new (limitMs: number, scenarios: { takes?: number }[], now: () => number) => Budget };
  'bars.js': {
    judge(bar: object, name: string, median: (id: string, metric: string, name: string) => number | undefined): Judged;
    isGross(judged: Judged): boolean;
  };
  'report.js': {
    summarise(about: object, outcomes: object[], opponents: object): object;
    markdown(summary: object): string;
  };
  'load/frames.js': {
    FrameReader: new (heard: (opcode: number, data: Buffer, start: number, end: number) => void) => {
      read(chunk: Buffer): void;
    };
  };
  'load/tally.js': { Tally: new () => Tally };
  'load/crowd.js': { Crowd: new () => Crowd };
  'load/requests.js': {
    Requester: {
      open(port: number): Promise<{
        socket: Socket;
        ask(text: string, done: (error: Error | null, status?: number) => void): void;
      }>;
    };
  };
  'load/stalled.js': {
    Stalled: new () => {
      stall(wants: { port: number; sockets: { path: string; ready: string }[] }): Promise<{ cut: number }>;
    };
  };
  'choice.js': {
    choose(
      scenarios: Choosable[],
      wants: { only?: string; quick?: boolean; long?: boolean; turn?: number },
    ): { chosen: Choosable[]; leftOut: { scenario: Choosable; reason: string }[] };
  };
  'scenarios/s13-ten-minutes.js': {
    trend(looks: Look[], minutes: number): { heapSlope: number; residentSlope: number; descriptorGrowth: number };
  };
  'scenarios/index.js': { scenarios: Scenario[] };
  'scenarios/s16-files.js': {
    default: Scenario & {
      enter(seat: { server: object }, shape: object, one: { name: string }): Promise<{ path: string }[]>;
    };
  };
  'load.js': { startLoad(): Load };
  'opponents/index.js': { opponents: Record<string, Opponent> };
}

/** A node as `EXPLAIN (FORMAT JSON)` prints it. */
export interface Plan {
  'Node Type': string;
}

export interface PlanJudged {
  unindexed: number;
  sorts: number;
  counts: number;
  rowsRead: number;
  rowsSorted: number;
}

export interface Judged {
  value: number | null;
  share: number | null;
  verdict: string;
}

/** The fields of a scenario that decide if it is chosen. */
export interface Choosable {
  id: string;
  long?: boolean;
  fullOnly?: boolean;
  inTurns?: boolean;
}

export interface Look {
  minute: number;
  heap: number;
  resident: number;
  descriptors: number;
}

export interface Scenario {
  id: string;
  cases: { name: string; fullOnly?: boolean; quickOnly?: boolean }[];
  opponents: string[];
  quick: string[];
  columns: string[];
  bars: {
    metric: string;
    of?: string;
    case?: string;
    against?: { opponent?: string; metric?: string; case?: string };
    atLeast?: number;
    atMost?: number;
    fullOnly?: boolean;
  }[];
}

export interface Budget {
  hasRoomFor(scenario: { least?: { full: number; quick: number } }, mode: 'full' | 'quick'): boolean;
  begin(scenario: { takes?: number }): void;
  allows(): boolean;
  allowsAgain(): boolean;
  again<T>(play: () => Promise<T>): Promise<T>;
}

export interface Crowd {
  gather(wants: { port: number; sockets: { path: string; ready: string; conversation: string }[] }): Promise<object>;
  cut(): void;
  back(): Promise<{ wholeMs: number; handshakes: number; refused: number }>;
  lacking(wants: { spans: Record<string, [number, number]> }): { missing: number; synced: number };
}

export interface Tally {
  begin(stride: number): void;
  content(since: number): string;
  receive(data: Buffer, start: number, end: number): void;
  lacking(each: number): { missing: number; repeated: number };
}

export interface Load {
  pid: number;
  open(wants: object): Promise<{ open: number }>;
  drive(wants: object): Promise<{ operations: number; missing: number; repeated: number; rate: number }>;
  connects(wants: object): Promise<{ operations: number }>;
  stop(): void;
}

export interface Opponent {
  absent(): string | null;
  start(world: object): Promise<{
    port: number;
    pid: number;
    runId: string;
    stage(wants: object): { conversations: { id: string; send: object; sockets: object[] }[] };
    stop(): Promise<void>;
  }>;
}

/** `it`; or `it.skip` with the reason on stderr if the opponent is not installed (it comes from Debian or npm). */
export function itIfInstalled(id: string, opponent: Opponent | undefined): typeof it | typeof it.skip {
  const absent = opponent?.absent() ?? null;
  if (absent === null) return it;
  process.stderr.write(`skipped: the opponent ${id}, for ${absent}\n`);
  return it.skip;
}

/**
 * Opens two listeners in each of three conversations and sends messages to them.
 * @returns the measurement; `tooFew` repeats it and waits for three listeners each
 */
export async function driveMessages(server: Awaited<ReturnType<Opponent['start']>>, load: Load) {
  const { port } = server;
  const { conversations } = server.stage({ conversations: 3, listenersEach: 2 });
  await load.open({ port, sockets: conversations.flatMap(({ sockets }) => sockets) });
  const targets = conversations.map(({ send }) => send);
  const wants = { port, targets, connections: 8, seconds: 1, listenersEach: 2, watched: {} };
  const measured = await load.drive(wants);
  return { measured, tooFew: () => load.drive({ ...wants, seconds: 0.05, listenersEach: 3 }) };
}

/** @param file in `bench/` */
export function bench<File extends keyof Bench>(file: File): Promise<Bench[File]> {
  return import(pathToFileURL(resolve(import.meta.dirname, '../../bench', file)).href) as Promise<Bench[File]>;
}
