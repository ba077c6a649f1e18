import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { watch } from '../measure/processor.js';
import { findProgram } from '../programs.js';
import { makeTables, SEND } from './plain-tables.js';
import { plainStage } from './plain-stage.js';

/**
 * Runs only the statement of the hand-written server, without HTTP and sockets: the limit of the database with the same
 * number of connections.
 */

const CONNECTIONS = 10;
const CONTENT = 'Thank you for waiting; I have looked at your order and the parcel is on its way to you.';

const program = find();

export default {
  id: 'pgbench',
  name: 'pgbench, same statement',
  durable: true,
  absent: () => (program ? null : 'pgbench is neither in PATH nor under /usr/lib/postgresql'),
  async start({ postgres, folder }) {
    const { url, made } = await postgres.database('pgbench');
    if (made) await makeTables(url);
    return {
      port: null,
      pids: [],
      stage: plainStage(() => null),
      load: {
        open: async () => undefined,
        close: async () => undefined,
        drive: wants => drive(url, join(folder, 'pgbench.sql'), wants),
        stop: () => undefined,
      },
      stop: async () => undefined,
    };
  },
};

/** @returns the results of `load/drive.js` that pgbench can provide */
async function drive(url, script, { targets, seconds, watched }) {
  const conversation = "('00000000-0000-7000-8000-' || lpad(:number::text, 12, '0'))::uuid";
  const values = { $1: conversation, $2: "'00000000-0000-7000-8000-000000000000'", $3: `'${CONTENT}'` };
  const statement = SEND.replace(/\$\d/g, name => values[name]).replaceAll('\n', ' ');
  await writeFile(script, `\\set number random(1, ${targets.length})\n${statement};\n`);
  const { hostname, port, pathname, username, password } = new URL(url);
  const whole = Math.max(1, Math.round(seconds));
  const options = {
    n: true,
    M: 'prepared',
    c: CONNECTIONS,
    j: 1,
    T: whole,
    f: script,
    h: hostname,
    p: port,
    U: username,
  };
  const flags = Object.entries(options).flatMap(([name, value]) =>
    value === true ? [`-${name}`] : [`-${name}`, value],
  );
  const watching = watch({ database: watched.database }, process.pid);
  const { stdout } = await promisify(execFile)(program, [...flags.map(String), pathname.slice(1)], {
    env: { PATH: process.env.PATH, PGPASSWORD: password },
  });
  const cpu = watching();
  const read = pattern => Number(pattern.exec(stdout)?.[1]);
  const operations = read(/actually processed: (\d+)/);
  const failed = read(/failed transactions: (\d+)/);
  if (!operations || failed > 0) throw new Error(`pgbench: ${stdout}`);
  return { operations, rate: read(/tps = ([\d.]+)/), ackP50: read(/latency average = ([\d.]+)/), missing: 0, cpu };
}

function find() {
  const versions = '/usr/lib/postgresql';
  const debian = existsSync(versions) ? readdirSync(versions).map(version => join(versions, version, 'bin')) : [];
  return findProgram('pgbench', debian.sort().reverse());
}
