import { parseArgs } from 'node:util';
import { ensureBuilt } from '../support/service-process.js';
import type { Control } from './controls.js';
import { CONTROLS } from './controls.js';
import { FAULTS, faultOf } from './faults.js';
import type { Fault } from './fault.js';
import { play } from './play.js';
import { Stage } from './stage.js';

/** Seeds in a round, so that every fault number occurs. */
const ROUND = Math.max(20, new Set(FAULTS.map(({ number }) => number)).size);

const { values } = parseArgs({
  options: {
    /** Number of seeds, starting at `from`. */
    seeds: { type: 'string', default: String(ROUND) },
    from: { type: 'string', default: '1' },
    /** Plays only this seed, without controls. */
    seed: { type: 'string' },
    /** Plays the fault with this number or name in every seed, without controls. */
    fault: { type: 'string' },
    /** Plays only the controls whose name contains this, without seeds. */
    control: { type: 'string' },
  },
});
const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
const controls = CONTROLS.filter(({ name }) => name.includes(values.control ?? ''));
const chosen = FAULTS.filter(({ number, name }) => number === values.fault || name === values.fault);
if (!(count > 0 && first > 0) || (values.fault !== undefined && chosen.length === 0) || controls.length === 0) {
  console.error(
    'usage: npm run test:faults -- [--seeds N] [--from N] [--seed N] [--fault F3|"its name"] [--control "its name"]',
  );
  process.exit(2);
}

/** A seed or control to run on a stage. */
interface Job {
  title: string;
  /** Arguments that repeat it. */
  again: string;
  /** Reason why it cannot run on that stage; null if it can. */
  lacks: (stage: Stage) => string | null;
  /** @returns what was wrong, and a summary of the run */
  run: (stage: Stage) => Promise<{ wrong: string[]; word: string }>;
}

function jobOfSeed(seed: number): Job {
  const fault = values.fault === undefined ? faultOf(seed) : chosen[(seed - 1) % chosen.length]!;
  return {
    title: `seed ${seed}, ${fault.number}: ${fault.name}`,
    again: `--seed ${seed}${values.fault === undefined ? '' : ` --fault "${fault.name}"`}`,
    lacks: stage => fault.needs?.(stage) ?? null,
    run: async stage => {
      const { violations, requests, frames } = await onStageOf(fault, stage, onStage => play(onStage, seed, fault));
      const wrong = violations.map(({ invariant, description }) => `${invariant}: ${description}`);
      return { wrong, word: `${requests} requests, ${frames} frames` };
    },
  };
}

/** Runs on the fault's dedicated stage, if it has one. */
async function onStageOf<T>(fault: Fault, shared: Stage, work: (stage: Stage) => Promise<T>): Promise<T> {
  if (!fault.stage) return work(shared);
  const dedicated = await Stage.open('dedicated', fault.stage);
  stages.add(dedicated);
  try {
    return await work(dedicated);
  } finally {
    stages.delete(dedicated);
    await dedicated.close();
  }
}

function jobOfControl(control: Control, index: number): Job {
  return {
    title: `control: ${control.name}`,
    again: `--from ${first} --seeds ${count}`,
    lacks: stage => control.needs?.(stage) ?? null,
    run: async stage => {
      const named = await control.run(stage, first + count + index);
      const wrong = named.has(control.breaks) ? [] : [`the checker did not report ${control.breaks}`];
      return { wrong, word: `the checker reported ${[...named].join(', ')}` };
    },
  };
}

let passed = 0;
let failed = 0;

async function perform({ title, again, run }: Job, stage: Stage): Promise<void> {
  const began = performance.now();
  const { wrong, word } = await run(stage).catch((error: Error) => ({
    wrong: [error.stack ?? error.message],
    word: '',
  }));
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  if (wrong.length === 0) {
    passed += 1;
    console.log(`ok  ${title}: ${word} (${stage.name}, ${seconds} s)`);
    return;
  }
  failed += 1;
  console.log(`FAILED: faults › ${title} (${stage.name}, ${seconds} s)`);
  for (const line of wrong.slice(0, 12)) console.log(`  | ${line.slice(0, 2_000)}`);
  if (wrong.length > 12) console.log(`  | and ${wrong.length - 12} more`);
  console.log(`  | repeat: npm run test:faults -- ${again}`);
}

/** Open stages, closed when the run is interrupted. */
const stages = new Set<Stage>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void Promise.allSettled([...stages].map(stage => stage.close())).then(() => process.exit(1));
  });
}

/** Jobs before a stage is reopened: the database is searched for secrets when it closes. */
const JOBS_PER_STAGE = 40;

async function lane(name: string, bus: boolean): Promise<void> {
  while (await act(name, bus));
}

/** Runs jobs that are possible on this stage. @returns true if there may be more */
async function act(name: string, bus: boolean): Promise<boolean> {
  const stage = await Stage.open(name, { bus });
  stages.add(stage);
  try {
    for (let done = 0; done < JOBS_PER_STAGE; done += 1) {
      const next = jobs.findIndex(({ lacks }) => lacks(stage) === null);
      const [job] = next < 0 ? [] : jobs.splice(next, 1);
      if (job) await perform(job, stage);
      else {
        for (const { lacks } of jobs) reasons.push(lacks(stage) ?? '');
        return false;
      }
    }
    return true;
  } finally {
    stages.delete(stage);
    await stage.close();
  }
}

ensureBuilt();
const seeds = values.control === undefined ? count : 0;
const jobs = Array.from({ length: seeds }, (_nothing, index) => jobOfSeed(first + index));
const single = values.seed !== undefined || values.fault !== undefined;
if (!single) jobs.push(...controls.map(jobOfControl));
const reasons: string[] = [];
const lanes = await Promise.allSettled(count === 1 ? [lane('a', true)] : [lane('a', true), lane('b', false)]);
for (const lane of lanes) {
  if (lane.status === 'fulfilled') continue;
  failed += 1;
  console.log(`FAILED: faults\n  | ${String(lane.reason)}`);
}
for (const { title } of jobs) console.log(`skipped: faults › ${title}: ${reasons[0]}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
