import { setTimeout as sleep } from 'node:timers/promises';
import { Lease } from './lease.js';
import { readPostmaster } from './postmaster-pid.js';
import { type ServerPlan, type SpawnedServer, spawnServer } from './postmaster.js';

export interface ReachedServer {
  lease: Lease;
  pid: number;
  port: number;
  /** false when it is the one that this call spawned */
  adopted: boolean;
}

/** How long (ms) a server may recover after a crash; and how long everything else may take. */
const RECOVERY_MS = 600_000;
const MAX_WAIT_MS = 30_000;

/**
 * Ends of a fresh server that mean "again": another start has the cluster, survivors of a crash still hold it, or
 * somebody took the port in between.
 */
const AGAIN = /lock file "|shared memory block|could not create any TCP\/IP sockets/;

/**
 * Looks at the cluster until a server of it answers, and spawns one whenever there is none. Who starts first is decided
 * by PostgreSQL's lock file alone; the loser's server ends and the loop finds the winner's.
 */
export async function reachServer(
  plan: ServerPlan,
  password: string,
  log: (line: string) => void,
): Promise<ReachedServer> {
  const began = Date.now();
  let spawned: SpawnedServer | undefined;
  let told = false;
  for (;;) {
    const seen = await readPostmaster(plan.cluster);
    if (seen.state === 'ready') {
      const lease = await Lease.acquire(plan.cluster, seen.port, password);
      if (lease) return { lease, pid: seen.pid, port: seen.port, adopted: seen.pid !== spawned?.pid };
    } else if (seen.state !== 'busy' && (!spawned || spawned.ended())) {
      if (spawned && !(await mayTryAgain(spawned))) throw await startFailure(spawned, plan);
      spawned = await spawnServer(plan, { port: seen.port, ...(seen.state === 'stranger' && { stranger: seen.pid }) });
    }
    const waited = Date.now() - began;
    if (waited > 5_000 && !told) log(`waiting for PostgreSQL, see ${plan.logFile}`);
    told ||= waited > 5_000;
    if (waited > (seen.state === 'busy' ? RECOVERY_MS : MAX_WAIT_MS)) {
      if (spawned?.ended()) throw await startFailure(spawned, plan);
      throw new Error(`PostgreSQL does not answer after ${Math.round(waited / 1000)} s; see ${plan.logFile}`);
    }
    await sleep(25);
  }
}

async function mayTryAgain(spawned: SpawnedServer): Promise<boolean> {
  const own = (await spawned.log()).split('\n').filter(line => line.includes(`[${spawned.pid}] FATAL`));
  if (!own.some(line => AGAIN.test(line))) return false;
  await sleep(100);
  return true;
}

async function startFailure(spawned: SpawnedServer, plan: ServerPlan): Promise<Error> {
  const last = (await spawned.log()).split('\n').slice(-10).join('\n');
  return new Error(
    `PostgreSQL ended while starting (${spawned.ended()}); ${plan.logFile} says last:\n${last || '(nothing)'}`,
  );
}
