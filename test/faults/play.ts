import { setTimeout as delay } from 'node:timers/promises';
import { seeded } from '../support/seeded.js';
import type { Violation } from './checker.js';
import { check, TOLERANCE } from './checker.js';
import { Crowd } from './crowd.js';
import type { Fault } from './fault.js';
import { History, now } from './history.js';
import type { Reading } from './reading.js';
import { readDatabase, readLastPosition } from './reading.js';
import type { Stage } from './stage.js';

/** Time for clients to receive what is outstanding after the repair, in milliseconds. */
const QUIET_MS = 10_000;

export interface Played {
  violations: Violation[];
  /** Size of the seed. A seed without traffic proves nothing. */
  requests: number;
  frames: number;
}

/**
 * Plays one seed: clients are active, something breaks and is repaired, they finish, and the invariants are checked.
 */
export async function play(stage: Stage, seed: number, fault: Fault, quietMs = QUIET_MS): Promise<Played> {
  await stage.mend();
  const history = new History();
  const random = seeded(seed);
  const crowd = await Crowd.open(stage.instances, history, seed);
  try {
    await markStart(stage, history);
    const living = crowd.live();
    living.catch(() => undefined);
    await crowd.untilProgress(fault.at ?? 0.1 + random() * 0.6);
    await fault.inject({ stage, crowd, random, waitMs: 3 * quietMs });
    await stage.mend();
    history.healedAt = now();
    await living;
    const reading = await awaitDelivery(stage, crowd, history, quietMs);
    await crowd.type(stage.bus !== null);
    await crowd.leave();
    await collect(stage, history);
    const violations = check(history, reading);
    const { operations, subscriptions } = history;
    return { violations, requests: operations.length, frames: subscriptions.flatMap(({ frames }) => frames).length };
  } finally {
    await crowd.leave();
  }
}

/** Marks the position from which every subscription must receive its events. */
async function markStart(stage: Stage, history: History): Promise<void> {
  const from = await stage.database.with(readLastPosition);
  for (const subscription of history.subscriptions) subscription.from = from;
}

/** Waits until every client is connected and has received everything, and nothing is due, or the time is up. */
async function awaitDelivery(stage: Stage, crowd: Crowd, history: History, ms: number): Promise<Reading> {
  const read = () => stage.database.with(client => readDatabase(client, crowd.workspaceIds));
  for (const end = now() + ms; ; await delay(150)) {
    const reading = await read();
    const waiting = check(history, reading).some(
      ({ invariant, description }) => /^(I4|I14|I16|I19|I22|I23)$/.test(invariant) || /stayed open/.test(description),
    );
    if ((!waiting && crowd.listeners.every(({ settled }) => settled)) || now() > end) return reading;
  }
}

/** Collects how the processes ended, and their resources once all clients have left. */
async function collect(stage: Stage, history: History): Promise<void> {
  for (const instance of stage.instances) {
    history.ended.push(...instance.ended.splice(0));
    history.complaints.push(...instance.takeComplaints());
  }
  stage.base ??= await stage.resources(false);
  history.resources.push(...stage.base);
  for (const end = now() + 8_000; ; await delay(200)) {
    const measured = await stage.resources(true);
    const names = Object.keys(TOLERANCE) as (keyof typeof TOLERANCE)[];
    const isBack = measured.every(late => {
      const base = stage.base?.find(({ instance }) => instance === late.instance);
      return !base || names.every(name => late[name] - base[name] <= TOLERANCE[name]);
    });
    if (!isBack && now() < end) continue;
    history.resources.push(...measured);
    return;
  }
}
