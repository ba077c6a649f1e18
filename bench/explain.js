import { open, stat } from 'node:fs/promises';
import { withClient } from './database.js';

/**
 * Reads the plans of a server's statements as they ran, with the real values and connections: PostgreSQL writes them to
 * its log (auto_explain). So the benchmark contains no copy of a statement.
 */

const HEAD = /^\S+ \S+ \S+ (\S*) \[\d+\] LOG:  duration: [\d.]+ ms  plan:$/;

/** Lets future sessions of the database log their plans; they do so while `plansOf` runs. */
export function enablePlanLog(url) {
  const name = new URL(url).pathname.slice(1);
  return withClient(url, async client => {
    await client.query(
      `ALTER DATABASE ${client.escapeIdentifier(name)} SET session_preload_libraries = 'auto_explain'`,
    );
  });
}

/**
 * @param url of a database for which `enablePlanLog` ran before the server connected
 * @param logFile of PostgreSQL
 * @returns `[{text, plan}]` of the statements that sessions of that database ran during `work`
 */
export async function plansOf(url, logFile, work) {
  const from = (await stat(logFile)).size;
  const settings = ['log_format = json', 'log_analyze = on', 'log_timing = off', 'log_min_duration = 0'];
  const set = assignments =>
    withClient(url, async client => {
      for (const assignment of assignments) await client.query(`ALTER SYSTEM SET auto_explain.${assignment}`);
      await client.query('SELECT pg_reload_conf()');
    });
  await set(settings);
  try {
    await work();
  } finally {
    await set(['log_min_duration = -1']);
  }
  return readPlans(await readFrom(logFile, from), new URL(url).pathname.slice(1));
}

/** @param log lines that begin with the time, the database and the process, as `postgres.js` configures them */
export function readPlans(log, database) {
  const plans = [];
  let lines = null;
  const end = () => {
    if (lines) plans.push(JSON.parse(lines.join('\n')));
    lines = null;
  };
  for (const line of log.split('\n')) {
    if (lines && line.startsWith('\t')) lines.push(line);
    else end();
    if (HEAD.exec(line)?.[1] === database) lines = [];
  }
  end();
  return plans.map(({ 'Query Text': text, Plan: plan }) => ({ text, plan }));
}

async function readFrom(file, position) {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const { buffer } = await handle.read(Buffer.alloc(size - position), 0, size - position, position);
    return buffer.toString('utf8');
  } finally {
    await handle.close();
  }
}
