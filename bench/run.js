import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isGross } from './bars.js';
import { Budget } from './budget.js';
import { choose } from './choice.js';
import { Lineup } from './lineup.js';
import { random } from './measure/statistics.js';
import { opponents } from './opponents/index.js';
import { playScenario } from './play.js';
import { startPostgres } from './postgres.js';
import { root, whenCutShort } from './processes.js';
import { startRedis } from './redis.js';
import { markdown, summarise } from './report.js';
import { scenarios } from './scenarios/index.js';
import { dataFolder } from './service.js';

/**
 * `npm run bench [-- --quick] [--only S1,S3] [--rounds N] [--seed N] [--minutes N] [--long] [--gate]`: every scenario,
 * all opponents, side by side; those that are long only with `--long`, or named. Writes `bench/results/`. Ends with 1 when
 * something broke or, with `--gate`, when a figure is below half of its bar, or of what is reached of it.
 */

/** With the build before them, 12 and 3 minutes. */
const FULL = { mode: 'full', limitMs: 11.9 * 60_000, rounds: 3, seconds: 1 };
const QUICK = { mode: 'quick', limitMs: 2.9 * 60_000, rounds: 1, seconds: 1 };

const wants = parse(process.argv.slice(2));
await main(wants);

function parse(words) {
  const { values } = parseArgs({
    args: words,
    options: {
      quick: { type: 'boolean' },
      gate: { type: 'boolean' },
      long: { type: 'boolean' },
      only: { type: 'string' },
      rounds: { type: 'string' },
      seed: { type: 'string' },
      minutes: { type: 'string' },
    },
  });
  const mode = values.quick ? QUICK : FULL;
  const number = (name, otherwise) => {
    const value = Number(values[name] ?? otherwise);
    if (!(value > 0)) throw new Error(`--${name} must be a number above 0`);
    return value;
  };
  const choice = choose(scenarios, values);
  const longMs = choice.chosen.filter(({ long }) => long).reduce((sum, { takes }) => sum + takes * 1000, 0);
  return {
    ...mode,
    ...choice,
    gate: values.gate ?? false,
    rounds: number('rounds', mode.rounds),
    seed: number('seed', 1),
    limitMs: number('minutes', (mode.limitMs + longMs) / 60_000) * 60_000,
  };
}

async function main({ chosen, leftOut, gate, mode, limitMs, rounds, seconds, seed }) {
  const budget = new Budget(limitMs, chosen);
  const tell = line => console.log(`${clock(budget.spentMs)} ${line}`);
  installOpponents(tell);
  const outcomes = [];
  const finish = cut => {
    const about = { ...machine(), mode, rounds, seconds, seed, minutes: (budget.spentMs / 60_000).toFixed(1), cut };
    const others = leftOut.map(({ scenario, reason }) => ({
      ...outcomeOf(scenario),
      leftOut: { 'all of it': reason },
    }));
    return write(summarise(about, [...outcomes, ...others], opponents), tell);
  };
  const { folder, remove } = dataFolder('bench');
  const postgres = await startPostgres(folder);
  const world = { postgres, redis: startRedis, folder, desks: {} };
  const lineup = new Lineup(world);
  let leaving;
  // once, whoever asks first: cut short, the run ends while it is being put away
  const leave = () => (leaving ??= putAway());
  const putAway = async () => {
    await lineup.leave();
    await postgres.stop();
    remove();
  };
  whenCutShort(leave);
  // something hangs: what there is is written, and the run has failed
  const watchdog = setTimeout(async () => {
    finish('the time was over');
    await leave();
    process.exit(1);
  }, limitMs);
  try {
    const quick = mode === 'quick';
    const run = { lineup, world, budget, random: random(seed), quick, rounds, seconds, tell };
    for (const scenario of chosen) {
      budget.begin(scenario);
      if (!budget.hasRoomFor(scenario, mode)) {
        leftOut.push({ scenario, reason: 'there was no time for it' });
        tell(`${scenario.id} is left out: there is no time for it`);
        continue;
      }
      tell(`${scenario.id} ${scenario.title}`);
      const { present, absent } = rollCall(scenario, mode);
      const outcome = { ...outcomeOf(scenario), absent };
      outcomes.push(outcome);
      await playScenario(outcome, present, run);
    }
  } finally {
    await leave();
  }
  clearTimeout(watchdog);
  const { scenarios: judged } = finish(null);
  const broke = outcomes.some(({ broken }) => Object.keys(broken).length > 0);
  const gross = judged.flatMap(({ id, bars }) => bars.filter(isGross).map(({ metric }) => `${id} ${metric}`));
  if (gate && gross.length > 0) tell(`below half of the bar: ${gross.join(', ')}`);
  process.exitCode = broke || (gate && gross.length > 0) ? 1 : 0;
}

function outcomeOf(scenario) {
  return { scenario, absent: {}, played: {}, broken: {}, notes: {}, leftOut: {} };
}

/** Who plays, and who does not, with the reason. */
function rollCall(scenario, mode) {
  const ids = mode === 'quick' ? scenario.quick : scenario.opponents;
  const reasons = scenario.opponents.map(id => [
    id,
    opponents[id].absent() ?? (ids.includes(id) ? null : 'not in a quick run'),
  ]);
  const absent = Object.fromEntries(reasons.filter(([, reason]) => reason !== null));
  return { present: ids.filter(id => !(id in absent)), absent };
}

/** What the opponents need from npm, which the service does not. Where that cannot be had they are named absent. */
function installOpponents(tell) {
  if (existsSync(resolve(import.meta.dirname, 'node_modules/socket.io'))) return;
  tell('installing the opponents: npm ci --prefix bench');
  const { status } = spawnSync('npm', ['ci', '--prefix', 'bench', '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: 'ignore',
  });
  if (status !== 0) tell('that failed; those from npm are left out');
}

function machine() {
  const [{ model } = { model: 'unknown' }] = cpus();
  const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  let commit = 'unknown';
  try {
    commit = git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') ? ' with changes' : '');
  } catch {
    // no repository: an unpacked archive
  }
  return {
    madeAt: new Date().toISOString(),
    commit,
    node: process.version,
    processor: model.trim(),
    cores: cpus().length,
  };
}

function write(summary, tell) {
  const folder = resolve(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  const page = markdown(summary);
  const name = `${summary.madeAt.slice(0, 19).replaceAll(':', '-')}-${summary.mode}`;
  for (const file of [name, 'latest']) {
    writeFileSync(resolve(folder, `${file}.md`), page);
    writeFileSync(resolve(folder, `${file}.json`), `${JSON.stringify(summary, null, 2)}\n`);
  }
  console.log(`\n${page}`);
  tell(`written to bench/results/${name}.md and .json`);
  return summary;
}

function clock(ms) {
  const seconds = Math.floor(ms / 1000);
  return `${String(Math.floor(seconds / 60)).padStart(2)}:${String(seconds % 60).padStart(2, '0')}`;
}
