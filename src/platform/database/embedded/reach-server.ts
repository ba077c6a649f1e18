import { setTimeout as sleep } from 'node:timers/promises';
import { Lease } from './lease.js';
import { readPostmaster } from './postmaster-pid.js';
import { type ServerPlan, type SpawnedServer, spawnServer } from './postmaster.js';

export interface ReachedServer {
  lease: Lease;
  pid: number;
  port: number;
  /** False when this call spawned the server. */
  adopted: boolean;
}

/** Time limits (ms): for the recovery after a crash, and for everything else. */
const RECOVERY_MS = 600_000;
const MAX_WAIT_MS = 30_000;

/**
 * Start failures after which to retry: another start uses the cluster, processes from before a crash still use it, or
 * the port was taken meanwhile.
 */
const RETRYABLE = /lock file "|shared memory block|could not create any TCP\/IP sockets/;

/**
 * Polls the cluster until its server answers, and spawns one whenever there is none. PostgreSQL's lock file decides
 * which of two concurrent starts wins; the other server ends, and the loop finds the winner.
 * @param beforeStart called before the first server is spawned; what it throws ends the call
 */
export async function reachServer(
  plan: ServerPlan,
  password: string,
  log: (line: string) => void,
  beforeStart: () => void = () => undefined,
): Promise<ReachedServer> {
  const began = Date.now();
  let spawned: SpawnedServer | undefined;
  let logged = false;
  for (;;) {
    const postmaster = await readPostmaster(plan.cluster);
    if (postmaster.state === 'ready') {
      const lease = await Lease.acquire(plan.cluster, postmaster.port, password);
      if (lease) return { lease, pid: postmaster.pid, port: postmaster.port, adopted: postmaster.pid !== spawned?.pid };
    } else if (postmaster.state !== 'busy' && (!spawned || spawned.ended())) {
      if (!spawned) beforeStart();
      else if (!(await mayRetry(spawned))) throw await startFailure(spawned, plan);
      spawned = await spawnServer(plan, {
        port: postmaster.port,
        ...(postmaster.state === 'stranger' && { stranger: postmaster.pid }),
      });
    }
    const waited = Date.now() - began;
    if (waited > 5_000 && !logged) log(`waiting for PostgreSQL, see ${plan.logFile}`);
    logged ||= waited > 5_000;
    if (waited > (postmaster.state === 'busy' ? RECOVERY_MS : MAX_WAIT_MS)) {
      if (spawned?.ended()) throw await startFailure(spawned, plan);
      throw new Error(`PostgreSQL does not answer after ${Math.round(waited / 1000)} s; see ${plan.logFile}`);
    }
    await sleep(25);
  }
}

async function mayRetry(spawned: SpawnedServer): Promise<boolean> {
  const fatalLines = (await spawned.log()).split('\n').filter(line => line.includes(`[${spawned.pid}] FATAL`));
  if (!fatalLines.some(line => RETRYABLE.test(line))) return false;
  await sleep(100);
  return true;
}

async function startFailure(spawned: SpawnedServer, plan: ServerPlan): Promise<Error> {
  const last = (await spawned.log()).split('\n').slice(-10).join('\n');
  return new Error(
    `PostgreSQL ended while starting (${spawned.ended()}); ${plan.logFile} ends with:\n${last || '(nothing)'}`,
  );
}
