import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, lchown, lstat, mkdir, mkdtemp, readdir, readFile } from 'node:fs/promises';
import { readlink, realpath, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import {
  type Account,
  firstClosedFolder,
  isRoot,
  serverAccount,
} from '../../src/platform/database/embedded/account.js';
import { findBinaries, linkLibraries } from '../../src/platform/database/embedded/binaries.js';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../src/platform/database/embedded/embedded-postgres.js';
import { isAlive, readPostmaster } from '../../src/platform/database/embedded/postmaster-pid.js';
import { runnableBinaries } from '../../src/platform/database/embedded/runnable-binaries.js';
import { systemFolders } from '../../src/platform/database/embedded/system-folder.js';
import { eventually } from '../support/eventually.js';
import { nodeFor } from '../support/node-for.js';

const front = path.resolve(import.meta.dirname, '../../src/platform/database/embedded/embedded-postgres.ts');
const checkout = path.resolve(import.meta.dirname, '../..');
const nobody: Account = { name: 'nobody', uid: 65534, gid: 65534 };

const folders: string[] = [];
const children: ChildProcess[] = [];

/** Creates a folder that everyone can enter; with mode 0700, only its owner. */
async function folder(mode = 0o711): Promise<string> {
  const made = await realpath(await mkdtemp(path.join(os.tmpdir(), 'embedded-postgres-')));
  await chmod(made, mode);
  folders.push(made);
  return made;
}

let before: Promise<string> | undefined;

/** Copies a cluster that was created once for all tests, which takes a tenth of the time of creating one. */
async function dataDirWithCluster(): Promise<string> {
  before ??= (async () => {
    const home = await realpath(await mkdtemp(path.join(os.tmpdir(), 'embedded-postgres-before-')));
    await chmod(home, 0o711);
    const dataDir = path.join(home, '.data');
    await (await start(dataDir)).stop();
    return dataDir;
  })();
  const dataDir = path.join(await folder(), '.data');
  // Keeps the owners of the files.
  await once(spawn('cp', ['-a', await before, dataDir], { stdio: 'inherit' }), 'exit');
  return dataDir;
}

afterAll(async () => {
  if (before) await rm(path.dirname(await before), { recursive: true, force: true });
});

function start(dataDir: string, options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    dataDir,
    database: 'chat',
    log: () => undefined,
    settings: { fsync: 'off' },
    ...options,
  });
}

/** Another process of the service: starts, reports its server, and stops on a line of input. */
function startInChild(
  dataDir: string,
  as?: Account,
  node = process.execPath,
): { child: ChildProcess; started: Promise<EmbeddedPostgres> } {
  const program = `
    import { startEmbeddedPostgres } from ${JSON.stringify(front)};
    const dataDir = ${JSON.stringify(dataDir)};
    const settings = { fsync: 'off' };
    const server = await startEmbeddedPostgres({ dataDir, database: 'chat', log: () => undefined, settings });
    console.log(JSON.stringify(server));
    await new Promise(resolve => process.stdin.once('data', resolve));
    await server.stop();
    process.exit();`;
  const load = ['--import', './test/support/read-typescript.js', '--input-type=module', '-e', program];
  const stdio: ['pipe', 'pipe', 'inherit'] = ['pipe', 'pipe', 'inherit'];
  const child = spawn(node, load, { cwd: checkout, stdio, detached: true, uid: as?.uid, gid: as?.gid });
  children.push(child);
  const reported = once(createInterface(child.stdout), 'line').then(([line]) => JSON.parse(line) as EmbeddedPostgres);
  const died = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the child exited with ${code}`)));
  const started = Promise.race([reported, died]);
  for (const outcome of [reported, died, started]) outcome.catch(() => undefined); // a test may ignore them
  return { child, started };
}

/** Kills the child's process group, as a terminal or a supervisor does. */
async function killChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  process.kill(-child.pid!, 'SIGKILL');
  await exit;
}

async function stopChild(child: ChildProcess): Promise<void> {
  child.stdin?.write('stop\n');
  await once(child, 'exit');
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const clusterOf = (dataDir: string): Promise<string> =>
  readFile(path.join(dataDir, 'postgres.location'), 'utf8').then(
    text => text.trim(),
    () => path.join(dataDir, 'postgres'),
  );

/** Removes servers and system folders that a failing test has left. */
afterEach(async () => {
  for (const child of children.splice(0)) await killChild(child);
  for (const made of folders.splice(0)) {
    const dataDir = path.join(made, '.data');
    const cluster = await clusterOf(dataDir);
    const seen = await readPostmaster(cluster);
    if (seen.state === 'ready' || seen.state === 'busy') {
      process.kill(seen.pid, 'SIGQUIT');
      while (await isAlive(seen.pid)) await sleep(10);
    }
    if (path.dirname(cluster) !== dataDir) await rm(path.dirname(cluster), { recursive: true });
    for (const systemFolder of systemFolders) await rmdir(systemFolder).catch(() => undefined); // if it is empty
    await rm(made, { recursive: true, force: true });
  }
});

function skipped(reason: string): void {
  console.warn(`skipped: ${reason}`);
}

describe('The embedded PostgreSQL', () => {
  it('Embedded PostgreSQL creates the database on the first start, keeps its rows across a restart, and leaves no process.', async () => {
    const dataDir = path.join(await folder(), '.data');
    const first = await start(dataDir, { settings: {} });
    expect(first.adopted).toBe(false);
    expect(first.url).toMatch(/^postgres:\/\/postgres:[0-9a-f]{48}@127\.0\.0\.1:\d+\/chat$/);
    await query(first.url, `CREATE TABLE note (body text); INSERT INTO note VALUES ('Grüße')`);
    await first.stop();
    expect(await isAlive(first.pid)).toBe(false);

    const second = await start(dataDir, { settings: {} });
    expect(await query(second.url, 'SELECT body, lower($$ÄЖ$$) FROM note')).toEqual([{ body: 'Grüße', lower: 'äж' }]);
    expect(await query(second.url, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
    await Promise.all([second.stop(), second.stop()]);
    expect(await isAlive(second.pid)).toBe(false);
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.log', 'postgres.password']);
  });

  it('Embedded PostgreSQL listens on 127.0.0.1 only, whatever the settings, and requires the password.', async () => {
    const dataDir = await dataDirWithCluster();
    const server = await start(dataDir, { settings: { fsync: 'off', listen_addresses: '*', work_mem: '5MB' } });
    const [shown] = await query(
      server.url,
      `SELECT current_setting('listen_addresses') AS on, current_setting('unix_socket_directories') AS sockets,
              current_setting('work_mem') AS work_mem`,
    );
    expect(shown).toEqual({ on: '127.0.0.1', sockets: '', work_mem: '5MB' });
    expect((await stat(path.join(dataDir, 'postgres.password'))).mode & 0o777).toBe(0o600);
    const stranger = new URL(server.url);
    stranger.password = 'guess';
    await expect(query(stranger.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    await server.stop();
  });

  it('Embedded PostgreSQL is adopted by the next service when the one that started it was killed.', async () => {
    const dataDir = await dataDirWithCluster();
    const { child, started } = startInChild(dataDir);
    const orphan = await started;
    await query(orphan.url, `CREATE TABLE note AS SELECT 'kept' AS body`);
    await killChild(child);

    const adopted = await start(dataDir);
    expect(adopted).toMatchObject({ adopted: true, pid: orphan.pid, url: orphan.url });
    expect(await query(adopted.url, 'SELECT body FROM note')).toEqual([{ body: 'kept' }]);
    await adopted.stop();
    expect(await isAlive(orphan.pid)).toBe(false);
  });

  it('Embedded PostgreSQL starts again after it crashed, with or without surviving backends.', async () => {
    const dataDir = await dataDirWithCluster();
    const first = await start(dataDir, { settings: {} });
    await query(first.url, `CREATE TABLE note AS SELECT 'kept' AS body`);
    process.kill(first.pid, 'SIGKILL');
    const second = await start(dataDir);
    expect(second.adopted).toBe(false);
    expect(await query(second.url, 'SELECT body FROM note')).toEqual([{ body: 'kept' }]);
    await first.stop(); // its server is gone, and it must not stop another's
    expect(await isAlive(second.pid)).toBe(true);
    await second.stop();
  });

  it('Embedded PostgreSQL starts although its postmaster.pid contains the pid of an unrelated program.', async () => {
    const dataDir = await dataDirWithCluster();
    const first = await start(dataDir);
    const cluster = path.join(dataDir, 'postgres');
    const file = path.join(cluster, 'postmaster.pid');
    const left = await readFile(file, 'utf8');
    await first.stop();

    const { uid, gid } = await stat(cluster); // owned by PostgreSQL's account: it would ignore another account's process anyway
    const stranger = spawn('sleep', ['600'], { detached: true, uid, gid });
    children.push(stranger);
    await writeFile(file, left.replace(/^\d+/, String(stranger.pid)), { mode: 0o600 });
    await chown(file, uid, gid);

    const second = await start(dataDir);
    expect(second.adopted).toBe(false);
    await second.stop();
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
  });

  it('Two processes that start at once share one embedded PostgreSQL, and the last one stops it.', async () => {
    const dataDir = path.join(await folder(), '.data');
    const [one, other] = [startInChild(dataDir), startInChild(dataDir)];
    const [a, b] = await Promise.all([one.started, other.started]);
    expect(a.pid).toBe(b.pid);
    expect([a, b].filter(server => server.adopted)).toHaveLength(1);
    expect(a.url).toBe(b.url);

    await stopChild(a.adopted ? other.child : one.child); // the one that started the server
    expect(await query(a.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await stopChild(a.adopted ? one.child : other.child);
    expect(await isAlive(a.pid)).toBe(false);
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.log', 'postgres.password']);
  });

  it("Embedded PostgreSQL still counts a process whose session was lost in another backend's crash.", async () => {
    const dataDir = await dataDirWithCluster();
    const server = await start(dataDir);
    const lockOwner = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted`;
    const [before] = await query(server.url, lockOwner);
    const walWriter = `SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'`;
    // The server answers a little before all of its processes have started.
    const backend = await eventually(async () => (await query(server.url, walWriter))[0], 20_000);
    process.kill(backend.pid as number, 'SIGKILL');
    const now = async (): Promise<unknown> => (await query(server.url, lockOwner))[0]?.pid ?? before!.pid;
    while ((await now().catch(() => before!.pid)) === before!.pid) await sleep(50);

    const { child, started } = startInChild(dataDir);
    expect(await started).toMatchObject({ adopted: true, pid: server.pid });
    await stopChild(child);
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await server.stop();
    expect(await isAlive(server.pid)).toBe(false);
  });

  it('A process whose crashed server was started again by another keeps nobody from it when it stops.', async () => {
    const dataDir = await dataDirWithCluster();
    const crashed = await start(dataDir);
    process.kill(crashed.pid, 'SIGKILL');
    const { child, started } = startInChild(dataDir);
    const server = await started;
    const users = async (): Promise<unknown> => {
      const [row] = await query(
        server.url,
        `SELECT count(*)::int AS users FROM pg_locks WHERE locktype = 'advisory' AND granted`,
      );
      return row?.users;
    };
    while ((await users()) !== 2) await sleep(50);
    await killChild(child);
    while ((await users()) !== 1) await sleep(50);

    await crashed.stop(); // its server is gone, and it must not stop another's
    const next = await start(dataDir);
    expect(next).toMatchObject({ adopted: true, pid: server.pid });
    await next.stop();
    expect(await isAlive(server.pid)).toBe(false);
  });

  it('A zombie server counts as gone: in a container, an adopted server may have no parent that reaps it.', async () => {
    const parent = spawn('sh', ['-c', 'sleep 1 & echo $!; exec sleep 600'], { detached: true });
    children.push(parent);
    const pid = Number((await once(createInterface(parent.stdout), 'line'))[0]);
    for (let tries = 0; tries < 500 && (await isAlive(pid)); tries++) await sleep(10);
    expect(() => process.kill(pid, 0)).not.toThrow();
    expect(await isAlive(pid)).toBe(false);
  });

  it('Embedded PostgreSQL starts again while its last process is still stopping it.', async () => {
    const dataDir = await dataDirWithCluster();
    let server = await start(dataDir);
    for (let round = 0; round < 5; round++) {
      const [, next] = await Promise.all([server.stop(), start(dataDir)]);
      expect(await query(next.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      server = next;
    }
    await server.stop();
  });

  it('Embedded PostgreSQL starts although an earlier start died while creating the cluster.', async () => {
    const dataDir = path.join(await folder(), '.data');
    const { child } = startInChild(dataDir);
    while (!(await readdir(dataDir).catch(() => [])).some(name => name.startsWith('postgres.new-'))) await sleep(5);
    await killChild(child);
    const [left] = (await readdir(dataDir)).filter(name => name.startsWith('postgres.new-'));
    await utimes(path.join(dataDir, left!), 0, 0);

    const server = await start(dataDir);
    await server.stop();
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.log', 'postgres.password']);
  });
});

describe('Errors of the embedded PostgreSQL', () => {
  it('A start without the optional package fails and names the remedy.', async () => {
    const arch = Object.getOwnPropertyDescriptor(process, 'arch')!;
    Object.defineProperty(process, 'arch', { ...arch, value: 'pdp11' });
    try {
      await expect(start(path.join(await folder(), '.data'))).rejects.toThrow(
        /^embedded PostgreSQL is not installed .+/,
      );
    } finally {
      Object.defineProperty(process, 'arch', arch);
    }
  });

  it('A start on data of another major version fails with one line that names the remedy.', async () => {
    const dataDir = await dataDirWithCluster();
    await writeFile(path.join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
    await expect(start(dataDir)).rejects.toThrow(/^.+ was made by PostgreSQL 17 and .+ is 18\.\d+; .+ DATABASE_URL$/);
  });

  it("A start that fails reports the server's last log lines.", async () => {
    const dataDir = await dataDirWithCluster();
    await expect(start(dataDir, { settings: { shared_buffers: 'plenty' } })).rejects.toThrow(
      /exit code 1(.|\n)+invalid value for parameter "shared_buffers": "plenty"/,
    );
  });

  it('A start fails if another folder is where the cluster belongs, and leaves that folder alone.', async () => {
    const dataDir = path.join(await folder(), '.data');
    await mkdir(path.join(dataDir, 'postgres', 'photos'), { recursive: true });
    await expect(start(dataDir)).rejects.toThrow(/^.+ is in the way: .+ DATA_DIR$/);
    expect(await readdir(dataDir)).toEqual(expect.arrayContaining(['postgres', 'postgres.password']));
  });

  it('A start with a lost password file fails and does not create a new password.', async () => {
    const dataDir = await dataDirWithCluster();
    await rm(path.join(dataDir, 'postgres.password'));
    await expect(start(dataDir)).rejects.toThrow(/^the password .+ cannot be read .+; restore it$/);
  });
});

describe('The account of the embedded PostgreSQL', () => {
  it('An ordinary user runs embedded PostgreSQL as itself, with no files outside the data folder.', async () => {
    if (isRoot() && (await firstClosedFolder(checkout, nobody))) {
      return skipped(`an ordinary user cannot read ${checkout}`);
    }
    const home = await folder(0o700);
    const dataDir = path.join(home, '.data');
    if (isRoot()) await chown(home, nobody.uid, nobody.gid);
    const somebody = isRoot() ? nobody : undefined;
    const node = somebody ? nodeFor(somebody, await folder()) : undefined;
    const { child, started } = startInChild(dataDir, somebody, node);
    const server = await started;
    expect(server.adopted).toBe(false);
    await stopChild(child);
    expect(await isAlive(server.pid)).toBe(false);
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.log', 'postgres.password']);

    if (!isRoot()) return;
    const { uid } = await stat(home);
    const startedByRoot = await start(dataDir); // root runs a cluster as its owner and does not change its owner
    await startedByRoot.stop();
    expect((await stat(path.join(dataDir, 'postgres'))).uid).toBe(uid);
    const again = startInChild(dataDir, nobody, node);
    await again.started;
    await stopChild(again.child);
  });

  it('Under root, a cluster whose account cannot enter the data folder is created elsewhere and stays there.', async () => {
    if (!isRoot()) return skipped('requires root');
    const home = await folder(0o700);
    const dataDir = path.join(home, '.data');
    const lines: string[] = [];
    const first = await start(dataDir, { log: line => lines.push(line) });
    const cluster = await clusterOf(dataDir);
    expect(path.dirname(cluster)).not.toBe(dataDir);
    expect(lines[0]).toContain(cluster);
    expect((await stat(cluster)).uid).not.toBe(0);
    await query(first.url, `CREATE TABLE note AS SELECT 'kept' AS body`);
    await first.stop();

    await chmod(home, 0o711); // The account can enter now, but the cluster stays where it was created.
    const second = await start(dataDir);
    expect(await query(second.url, 'SELECT body FROM note')).toEqual([{ body: 'kept' }]);
    await second.stop();
  });

  it('Under root, a cluster restored by root gets its owner back, and an error names the folder that its account cannot enter.', async () => {
    if (!isRoot()) return skipped('requires root');
    const dataDir = await dataDirWithCluster();
    const home = path.dirname(dataDir);
    const cluster = path.join(dataDir, 'postgres');
    const files = (await readdir(cluster, { recursive: true })).map(file => path.join(cluster, file));
    for (const file of [cluster, ...files]) await lchown(file, 0, 0);
    await (await start(dataDir)).stop();
    expect((await stat(path.join(cluster, 'base'))).uid).not.toBe(0);

    await chmod(home, 0o700);
    await expect(start(dataDir)).rejects.toThrow(new RegExp(`^.+cannot enter ${home} .+chmod o\\+x ${home}.+$`));
  });

  it('Under root, binaries that the account cannot read run from a copy that only root can change.', async () => {
    if (!isRoot()) return skipped('requires root');
    const account = await serverAccount();
    const home = await folder(0o700);
    const native = path.join(home, 'native');
    const packaged = path.resolve((await findBinaries()).postgres, '../..');
    await cp(packaged, native, { recursive: true, verbatimSymlinks: true });
    await chmod(path.join(native, 'share', 'postgresql', 'postgres.bki'), 0o600); // as under a strict umask
    const anyone = await folder();
    const planted = path.join(anyone, 'planted');
    await mkdir(planted);
    await chown(planted, nobody.uid, nobody.gid);

    await expect(runnableBinaries(native, account, [planted])).rejects.toThrow(/^the account .+DATABASE_URL$/);
    expect(await readdir(planted)).toEqual([]);

    const roots = path.join(anyone, 'roots');
    const [first, second] = await Promise.all([1, 2].map(() => runnableBinaries(native, account, [planted, roots])));
    expect(first).toEqual(second);
    expect(path.dirname(path.resolve(first!.postgres, '../..'))).toBe(roots);
    expect((await readdir(roots)).length).toBe(1);
    const copied = path.resolve(first!.postgres, '../..');
    expect((await stat(path.join(copied, 'share', 'postgresql', 'postgres.bki'))).mode & 0o777).toBe(0o644);
    expect((await lstat(copied)).uid).toBe(0);
  });

  it('Embedded PostgreSQL finds its libraries when npm ran no install scripts.', async () => {
    const home = await folder();
    const native = path.join(home, 'native');
    const packaged = path.resolve((await findBinaries()).postgres, '../..');
    await mkdir(path.join(native, 'lib'), { recursive: true });
    await cp(path.join(packaged, 'pg-symlinks.json'), path.join(native, 'pg-symlinks.json'));
    await linkLibraries(native);
    await linkLibraries(native);
    const list = JSON.parse(await readFile(path.join(packaged, 'pg-symlinks.json'), 'utf8')) as { target: string }[];
    for (const { target } of list) {
      expect(await readlink(path.join(home, target))).toBe(await readlink(path.join(packaged, '..', target)));
    }
  });
});
