import { parseArgs } from 'node:util';
import { ensureBuilt } from '../support/service-process.js';
import type { Fault } from './fault.js';
import { FAULTS, faultOf } from './faults.js';
import { play } from './play.js';
import { Stage } from './stage.js';

const { values } = parseArgs({
  options: {
    /** How many seeds, from `from` on. */
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    /** This one alone, and with `fault` by that fault. */
    seed: { type: 'string' },
    fault: { type: 'string' },
  },
});
const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
const wanted = values.fault;
const chosen = wanted === undefined ? null : FAULTS.filter(({ number, name }) => number === wanted || name === wanted);
if (!(count > 0 && first > 0) || chosen?.length === 0) {
  console.error('usage: npm run test:faults -- [--seeds N] [--from N] [--seed N] [--fault F3|"its name"]');
  process.exit(2);
}

/** What runs at present; somebody who is tired of waiting leaves nothing behind. */
const stages = new Set<Stage>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(
    signal,
    () => void Promise.allSettled([...stages].map(stage => stage.close())).then(() => process.exit(1)),
  );
}

let passed = 0;
let failed = 0;

function tell(title: string, broken: readonly string[], seed: number, seconds: string): void {
  if (broken.length === 0) {
    passed += 1;
    console.log(`ok  ${title} (${seconds} s)`);
    return;
  }
  failed += 1;
  console.log(`FAILED: faults › ${title}`);
  for (const line of broken.slice(0, 12)) console.log(`  | ${line.slice(0, 300)}`);
  console.log(`  | again: npm run test:faults -- --seed ${seed}`);
}

/** One seed after another on a stage of its own. */
async function lane(name: string, bus: boolean, seeds: number[]): Promise<void> {
  const stage = await Stage.open(name, { bus });
  stages.add(stage);
  try {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) await one(stage, seed);
  } finally {
    stages.delete(stage);
    await stage.close();
  }
}

async function one(stage: Stage, seed: number): Promise<void> {
  const fault: Fault = chosen ? (chosen[seed % chosen.length] as Fault) : faultOf(seed);
  const title = `seed ${seed}, ${fault.number}: ${fault.name}${stage.bus ? '' : ', no Redis'}`;
  const lacking = fault.needs?.(stage) ?? null;
  if (lacking !== null) return console.log(`skipped: faults › ${title}: ${lacking}`);
  const began = performance.now();
  const lasted = () => ((performance.now() - began) / 1000).toFixed(1);
  try {
    const { violations, requests, frames } = await play(stage, seed, fault);
    const broken = violations.map(({ invariant, what }) => `${invariant}: ${what}`);
    tell(`${title}: ${requests} requests, ${frames} frames`, broken, seed, lasted());
  } catch (error) {
    tell(title, [error instanceof Error ? (error.stack ?? error.message) : String(error)], seed, lasted());
  }
}

ensureBuilt();
const seeds = Array.from({ length: count }, (_nothing, index) => first + index);
await Promise.all(count === 1 ? [lane('a', true, seeds)] : [lane('a', true, seeds), lane('b', false, seeds)]);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
