import { setTimeout as delay } from 'node:timers/promises';
import { seeded } from '../support/seeded.js';
import type { Violation } from './checker.js';
import { check, TOLERANCE } from './checker.js';
import { Crowd } from './crowd.js';
import type { Fault } from './fault.js';
import { History, now } from './history.js';
import type { Reading } from './reading.js';
import { readDatabase } from './reading.js';
import type { Stage } from './stage.js';

/** How long everybody may take to hear what is left to hear, once all is well. */
const QUIET_MS = 10_000;

export interface Played {
  violations: Violation[];
  /** What there was to be broken: a seed in which nothing happened proves nothing. */
  requests: number;
  frames: number;
}

/** One seed: people talk, something breaks and is put right, they finish, and what must hold is looked at. */
export async function play(stage: Stage, seed: number, fault: Fault, quietMs = QUIET_MS): Promise<Played> {
  await stage.mend();
  const history = new History();
  const random = seeded(seed);
  const crowd = await Crowd.gather(stage.instances, history, seed);
  try {
    await beginHearing(stage, history);
    const living = crowd.live();
    living.catch(() => undefined);
    await crowd.reaches(fault.at ?? 0.1 + random() * 0.6);
    await fault.strike({ stage, crowd, random });
    await stage.mend();
    history.healedAt = now();
    await living;
    const reading = await quiet(stage, crowd, history, quietMs);
    await crowd.type(stage.bus !== null);
    await crowd.leave();
    await collect(stage, history);
    const violations = check(history, reading);
    const { operations, hearings } = history;
    return { violations, requests: operations.length, frames: hearings.flatMap(({ frames }) => frames).length };
  } finally {
    await crowd.leave();
    await stage.mend();
  }
}

/** What comes from here on, everybody who listens must hear. */
async function beginHearing(stage: Stage, history: History): Promise<void> {
  const from = await stage.database.with(async client => {
    const sql = 'SELECT coalesce(max(position), 0)::text AS last FROM event';
    return BigInt((await client.query<{ last: string }>(sql)).rows[0]?.last ?? '0');
  });
  for (const hearing of history.hearings) hearing.from = from;
}

/** Until everybody is back at its socket and has heard everything, or has had the time to. */
async function quiet(stage: Stage, crowd: Crowd, history: History, ms: number): Promise<Reading> {
  const read = () => stage.database.with(client => readDatabase(client, crowd.workspaceIds));
  for (const end = now() + ms; ; await delay(150)) {
    const reading = await read();
    const waiting = check(history, reading).some(
      ({ invariant, what }) => invariant === 'I4' || /stayed open/.test(what),
    );
    if ((!waiting && crowd.listeners.every(({ settled }) => settled)) || now() > end) return reading;
  }
}

/** How the processes came through it, and what they hold on to now that everybody has left. */
async function collect(stage: Stage, history: History): Promise<void> {
  for (const instance of stage.instances) {
    history.ended.push(...instance.ended.splice(0));
    history.complaints.push(...instance.takeComplaints());
  }
  stage.base ??= await stage.resources(false);
  history.resources.push(...stage.base);
  for (const end = now() + 8_000; ; await delay(200)) {
    const held = await stage.resources(true);
    const names = Object.keys(TOLERANCE) as (keyof typeof TOLERANCE)[];
    const isBack = held.every(late => {
      const base = stage.base?.find(({ instance }) => instance === late.instance);
      return !base || names.every(name => late[name] - base[name] <= TOLERANCE[name]);
    });
    if (!isBack && now() < end) continue;
    history.resources.push(...held);
    return;
  }
}
