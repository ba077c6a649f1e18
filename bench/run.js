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
 * `npm run bench [-- --quick [--turn N]] [--only S1,S3] [--rounds N] [--seed N] [--minutes N] [--long] [--gate]`: runs
 * all scenarios with all opponents; long scenarios only with `--long` or by name. Writes `bench/results/`. Exits with 1
 * on an error and, with `--gate`, when a figure is below half of its target or recorded value.
 */

/** Together with the build, these take 12 and 3 minutes. */
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
      turn: { type: 'string' },
    },
  });
  const mode = values.quick ? QUICK : FULL;
  const number = (name, otherwise) => {
    const value = Number(values[name] ?? otherwise);
    if (!(value > 0)) throw new Error(`--${name} must be a number above 0`);
    return value;
  };
  const turn = values.turn === undefined ? undefined : Number(values.turn);
  if (turn !== undefined && !(Number.isInteger(turn) && turn >= 0)) throw new Error('--turn must be a whole number');
  const choice = choose(scenarios, { ...values, turn });
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
  const log = line => console.log(`${clock(budget.spentMs)} ${line}`);
  installOpponents(log);
  const outcomes = [];
  const finish = cut => {
    const about = { ...machine(), mode, rounds, seconds, seed, minutes: (budget.spentMs / 60_000).toFixed(1), cut };
    const others = leftOut.map(({ scenario, reason }) => ({
      ...outcomeOf(scenario),
      leftOut: { 'the whole scenario': reason },
    }));
    return write(summarise(about, [...outcomes, ...others], opponents), log);
  };
  const { folder, remove } = dataFolder('bench');
  const postgres = await startPostgres(folder);
  const world = { postgres, redis: startRedis, folder, desks: {} };
  const lineup = new Lineup(world);
  let leaving;
  // runs once: a signal can arrive while the normal cleanup runs
  const leave = () => (leaving ??= cleanUp());
  const cleanUp = async () => {
    await lineup.leave();
    await postgres.stop();
    remove();
  };
  whenCutShort(leave);
  // if something hangs, the results so far are written and the run fails
  const watchdog = setTimeout(async () => {
    finish('the time limit was reached');
    await leave();
    process.exit(1);
  }, limitMs);
  try {
    const quick = mode === 'quick';
    const run = { lineup, world, budget, random: random(seed), quick, rounds, seconds, log };
    for (const scenario of chosen) {
      budget.begin(scenario);
      if (!budget.hasRoomFor(scenario, mode)) {
        leftOut.push({ scenario, reason: 'not enough time' });
        log(`${scenario.id} is left out: not enough time`);
        continue;
      }
      log(`${scenario.id} ${scenario.title}`);
      const { present, absent } = availableOpponents(scenario, mode);
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
  if (gate && gross.length > 0) log(`below half of the target: ${gross.join(', ')}`);
  process.exitCode = broke || (gate && gross.length > 0) ? 1 : 0;
}

function outcomeOf(scenario) {
  return { scenario, absent: {}, played: {}, broken: {}, notes: {}, leftOut: {} };
}

/** Splits the opponents into available ones and absent ones with a reason. */
function availableOpponents(scenario, mode) {
  const ids = mode === 'quick' ? scenario.quick : scenario.opponents;
  const reasons = scenario.opponents.map(id => [
    id,
    opponents[id].absent() ?? (ids.includes(id) ? null : 'not in a quick run'),
  ]);
  const absent = Object.fromEntries(reasons.filter(([, reason]) => reason !== null));
  return { present: ids.filter(id => !(id in absent)), absent };
}

/** Installs npm packages of the opponents. If that fails, these opponents are reported as absent. */
function installOpponents(log) {
  if (existsSync(resolve(import.meta.dirname, 'node_modules/socket.io'))) return;
  log('installing opponents: npm ci --prefix bench');
  const { status } = spawnSync('npm', ['ci', '--prefix', 'bench', '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: 'ignore',
  });
  if (status !== 0) log('the installation failed; opponents from npm are left out');
}

function machine() {
  const [{ model } = { model: 'unknown' }] = cpus();
  const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  let commit = 'unknown';
  try {
    commit = git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') ? ' with changes' : '');
  } catch {
    // not a git repository, for example an unpacked archive
  }
  return {
    madeAt: new Date().toISOString(),
    commit,
    node: process.version,
    processor: model.trim(),
    cores: cpus().length,
  };
}

function write(summary, log) {
  const folder = resolve(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  const page = markdown(summary);
  const name = `${summary.madeAt.slice(0, 19).replaceAll(':', '-')}-${summary.mode}`;
  for (const file of [name, 'latest']) {
    writeFileSync(resolve(folder, `${file}.md`), page);
    writeFileSync(resolve(folder, `${file}.json`), `${JSON.stringify(summary, null, 2)}\n`);
  }
  console.log(`\n${page}`);
  log(`written to bench/results/${name}.md and .json`);
  return summary;
}

function clock(ms) {
  const seconds = Math.floor(ms / 1000);
  return `${String(Math.floor(seconds / 60)).padStart(2)}:${String(seconds % 60).padStart(2, '0')}`;
}
