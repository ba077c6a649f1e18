import { parseArgs } from 'node:util';
import { ensureBuilt } from '../support/service-process.js';
import type { Control } from './controls.js';
import { CONTROLS } from './controls.js';
import { FAULTS, faultOf } from './faults.js';
import { play } from './play.js';
import { Stage } from './stage.js';
import { Stages } from './stages.js';

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
    /** Plays only so many controls, which ones depends on `turn`. */
    controls: { type: 'string' },
    turn: { type: 'string', default: '0' },
  },
});
const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
const named = CONTROLS.filter(({ name }) => name.includes(values.control ?? ''));
const some = Math.min(Number(values.controls ?? named.length), named.length);
const controls = Array.from(
  { length: some },
  (_nothing, index) => named[(Number(values.turn) + index) % named.length]!,
);
const chosen = FAULTS.filter(({ number, name }) => number === values.fault || name === values.fault);
if (!(count > 0 && first > 0) || (values.fault !== undefined && chosen.length === 0) || controls.length === 0) {
  console.error(
    'usage: npm run test:faults -- [--seeds N] [--from N] [--seed N] [--fault F3|"its name"] [--control "its name"] ' +
      '[--controls N [--turn N]]',
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
  run: (stages: Stages) => Promise<{ wrong: string[]; word: string }>;
}

function jobOfSeed(seed: number): Job {
  const fault = values.fault === undefined ? faultOf(seed) : chosen[(seed - 1) % chosen.length]!;
  return {
    title: `seed ${seed}, ${fault.number}: ${fault.name}`,
    again: `--seed ${seed}${values.fault === undefined ? '' : ` --fault "${fault.name}"`}`,
    lacks: stage => fault.needs?.(stage) ?? null,
    run: async stages => {
      const { violations, requests, frames } = await stages.with(fault, stage => play(stage, seed, fault));
      const wrong = violations.map(({ invariant, description }) => `${invariant}: ${description}`);
      return { wrong, word: `${requests} requests, ${frames} frames` };
    },
  };
}

function jobOfControl(control: Control, index: number): Job {
  return {
    title: `control: ${control.name}`,
    again: `--from ${first} --seeds ${count}`,
    lacks: stage => control.needs?.(stage) ?? null,
    run: async ({ shared }) => {
      const named = await control.run(shared, first + count + index);
      const wrong = named.has(control.breaks) ? [] : [`the checker did not report ${control.breaks}`];
      return { wrong, word: `the checker reported ${[...named].join(', ')}` };
    },
  };
}

let passed = 0;
let failed = 0;

async function perform({ title, again, run }: Job, onStages: Stages): Promise<void> {
  const began = performance.now();
  const { wrong, word } = await run(onStages).catch((error: Error) => ({
    wrong: [error.stack ?? error.message],
    word: '',
  }));
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  if (wrong.length === 0) {
    passed += 1;
    console.log(`ok  ${title}: ${word} (${onStages.shared.name}, ${seconds} s)`);
    return;
  }
  failed += 1;
  console.log(`FAILED: faults › ${title} (${onStages.shared.name}, ${seconds} s)`);
  for (const line of wrong.slice(0, 12)) console.log(`  | ${line.slice(0, 2_000)}`);
  if (wrong.length > 12) console.log(`  | and ${wrong.length - 12} more`);
  console.log(`  | repeat: npm run test:faults -- ${again}`);
}

/** Open stages of each lane, closed when the run is interrupted. */
const opened = new Set<Stages>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void Promise.allSettled([...opened].map(stages => stages.close())).then(() => process.exit(1));
  });
}

/** Jobs before a stage is reopened: the database is searched for secrets when it closes. */
const JOBS_PER_STAGE = 40;

async function lane(name: string, bus: boolean): Promise<void> {
  while (await act(name, bus));
}

/** Runs jobs that are possible on this stage. @returns true if there may be more */
async function act(name: string, bus: boolean): Promise<boolean> {
  const stages = new Stages(await Stage.open(name, { bus }));
  opened.add(stages);
  try {
    for (let done = 0; done < JOBS_PER_STAGE; done += 1) {
      const next = jobs.findIndex(({ lacks }) => lacks(stages.shared) === null);
      const [job] = next < 0 ? [] : jobs.splice(next, 1);
      if (job) await perform(job, stages);
      else {
        for (const { lacks } of jobs) reasons.push(lacks(stages.shared) ?? '');
        return false;
      }
    }
    return true;
  } finally {
    opened.delete(stages);
    await stages.close();
  }
}

ensureBuilt();
const seeds = values.control === undefined ? count : 0;
const jobs = Array.from({ length: seeds }, (_nothing, index) => jobOfSeed(first + index));
const single = values.seed !== undefined || values.fault !== undefined;
if (!single) jobs.push(...controls.map(jobOfControl));
if (some < named.length) console.log(`skipped: faults › ${named.length - some} controls, which other turns play`);
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
