import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, posix, relative } from 'node:path';

export interface Instruction {
  name: string;
  value: string;
}

export interface Stage {
  from: string;
  name: string;
  instructions: Instruction[];
}

/** Parses the subset of Dockerfile syntax that ours uses. */
export function parseDockerfile(text: string): Stage[] {
  const lines = text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n');
  const stages: Stage[] = [];
  for (const line of lines.filter(line => line.trim() !== '')) {
    const [, name = '', value = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') {
      const [from = '', , stage = 'last'] = value.split(/\s+/);
      stages.push({ from, name: stage, instructions: [] });
    } else {
      const stage = stages.at(-1);
      if (!stage || name === '') throw new Error(`cannot parse: ${line}`);
      stage.instructions.push({ name, value });
    }
  }
  return stages;
}

/** Value of the only instruction with that name in a stage. */
export function only(stage: Stage, name: string): string {
  const found = stage.instructions.filter(instruction => instruction.name === name);
  if (found.length !== 1) throw new Error(`expected one ${name} instruction, found ${found.length}`);
  return found[0]?.value ?? '';
}

export function environmentOf(stage: Stage): Record<string, string> {
  const set = stage.instructions.filter(({ name }) => name === 'ENV').map(({ value }) => value.split('='));
  return Object.fromEntries(set.map(([name = '', value = '']) => [name, value]));
}

/** Arguments of an exec form such as `["node", "dist/main.js"]`. @throws if the instruction is in shell form */
export function execForm(value: string): string[] {
  return JSON.parse(value.slice(value.indexOf('['))) as string[];
}

/**
 * Runs the steps of a Dockerfile without a container engine. Each stage is an empty folder; `COPY` copies what
 * `.dockerignore` lets through, or moves files of an earlier stage; `RUN` runs on this machine, or calls the function
 * that `instead` names, in the working directory. This machine stands in for the base image; files that a later stage
 * copies from it are listed in `bases` by their path in the image.
 * @returns the working directory of the last stage
 */
export function runStages(
  context: string,
  stages: Stage[],
  folder: string,
  instead: Record<string, (cwd: string) => void> = {},
  bases: Record<string, string> = {},
): string {
  const ignored = readIgnored(context);
  let directory = folder;
  for (const stage of stages) {
    const root = join(folder, stage.name);
    let work = '/';
    for (const { name, value } of stage.instructions) {
      directory = join(root, work);
      if (name === 'WORKDIR') work = posix.resolve(work, value);
      if (name === 'WORKDIR') mkdirSync((directory = join(root, work)), { recursive: true });
      if (name === 'COPY') copy(value, root, directory);
      if (name === 'RUN') (instead[value] ?? (cwd => runLine(value, cwd, environmentOf(stage))))(directory);
    }
  }
  return directory;

  function copy(value: string, root: string, to: string): void {
    const words = value.split(/\s+/);
    const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
    const target = words.pop() ?? '';
    for (const source of words) {
      const origin = from === undefined ? join(context, source) : (bases[source] ?? join(folder, from, source));
      if (!existsSync(origin)) throw new Error(`COPY ${value}: ${source} does not exist`);
      const into = target.endsWith('/') && !statSync(origin).isDirectory();
      const base = target.startsWith('/') ? root : to;
      const goal = into ? join(base, target, basename(source)) : join(base, target);
      mkdirSync(dirname(goal), { recursive: true });
      if (from !== undefined && bases[source] !== undefined) cpSync(origin, goal);
      else if (from !== undefined) renameSync(origin, goal);
      else {
        const filter = (path: string) => !ignored(relative(context, path));
        cpSync(origin, goal, { recursive: true, verbatimSymlinks: true, filter });
      }
    }
  }
}

function readIgnored(context: string): (path: string) => boolean {
  const patterns = readFileSync(join(context, '.dockerignore'), 'utf8')
    .split('\n')
    .filter(line => line.trim() !== '' && !line.startsWith('#'));
  // The last matching pattern decides; `!` re-includes.
  return path => {
    const last = patterns.findLast(pattern => matchesGlob(path, pattern.replace(/^!/, '')));
    return last !== undefined && !last.startsWith('!');
  };
}

/** Drops npm's variables: the npm that started this test would otherwise redirect the command to its own folder. */
function runLine(line: string, cwd: string, env: Record<string, string>): void {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_)|npm_config_(local_)?prefix|NODE_|INIT_CWD|JEST_)/i.test(name),
  );
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
    cwd,
    encoding: 'utf8',
    env: { ...Object.fromEntries(kept), npm_config_prefer_offline: 'true', ...env },
  });
  if (status !== 0) throw new Error(`RUN ${line} in ${readdirSync(cwd).join(', ')}:\n${stdout}\n${stderr}`);
}
