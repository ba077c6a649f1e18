import { setTimeout as delay } from 'node:timers/promises';
import { Backend } from '../backend.js';
import type { Channel, FaultyDesk } from '../desk.js';
import { MAX_DUE_MS } from '../desk-checks.js';
import type { TimerRow } from '../desk-reading.js';
import type { Fault, Scene } from '../fault.js';
import { killAt, pick, startDead } from '../fault.js';
import { now } from '../history.js';
import type { Rule } from '../instance.js';
import { readDatabase } from '../reading.js';
import { setClocks } from './clock.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Jumps of the clock in which the day passes, and the pause after each. */
const JUMPS = 6;
const PAUSE_MS = 400;
/** Longer than a worker's interval. */
const KILLED_MS = 1_500;
/** Conversations per desk that are snoozed, and that become idle. */
const EACH = 3;
const TIMERS = ['snoozes', 'idle_timers'];

/** A day with due times in each of its jumps. Something breaks during one of them. */
const day = (name: string, breakDuring: (scene: Scene, jump: () => Promise<void>) => Promise<void>): Fault => ({
  number: 'F26',
  name,
  async inject(scene) {
    const { stage, crowd, random } = scene;
    await Promise.all(crowd.desks.map(desk => setTimers(scene, desk)));
    const broken = 1 + Math.floor(random() * JUMPS);
    for (let count = 1; count <= JUMPS; count += 1) {
      const jump = () => setClocks(scene, stage.instances, (count * DAY_MS) / JUMPS);
      await (count === broken ? breakDuring(scene, jump) : jump());
      await startDead(stage);
      await delay(PAUSE_MS);
    }
    await setClocks(scene, stage.instances, DAY_MS);
    await awaitTimers(scene);
  },
});

/** An instance dies while a worker for timers works off a row. @param passes of the point in one jump, at least */
const killed = (point: Rule['point'], when: string, passes: number): Fault =>
  day(`a day passes, and an instance is killed ${when} of a timer`, async (scene, jump) => {
    const after = Math.floor(scene.random() * passes);
    await killAt(scene, { point, after, workers: TIMERS }, KILLED_MS, jump);
  });

/** Nothing breaks but the clock. A control runs it against a service whose instances do not lock what they find. */
export const DAY: Fault = day('a day passes', (_scene, jump) => jump());

/** Timers that become due while instances die. */
export const TIMER_FAULTS: readonly Fault[] = [
  killed('write', 'before a statement', 8),
  killed('commit', 'before the COMMIT', 1),
  day('a day passes, and for a part of it no instance runs', async ({ stage }, jump) => {
    await Promise.all(stage.instances.map(instance => instance.kill()));
    await jump();
  }),
];

/** Opens conversations that are due within the day: some are snoozed, others become idle. */
async function setTimers(scene: Scene, desk: FaultyDesk): Promise<void> {
  const { random } = scene;
  const backend = new Backend(scene, desk);
  const [, second] = desk.channels;
  const hours = 1 + Math.floor(random() * 20);
  await backend.must('PATCH', `/channels/${second.id}`, { auto_resolve_hours: hours });
  const marks = Array.from({ length: EACH }, (_nothing, index) => `v${3 + index}`);
  const open = async (channel: Channel, mark: string): Promise<string> => {
    const id = await backend.openConversation(channel, mark);
    await backend.answer(id, channel, mark);
    return id;
  };
  const snooze = async (mark: string): Promise<void> => {
    const conversationId = await open(pick(random, desk.channels), mark);
    const until = new Date(now() + 2 * 60_000 + random() * 23 * HOUR_MS);
    await backend.must('POST', `/conversations/${conversationId}/snooze`, { until });
    scene.crowd.history.expectedEntries.push({ conversationId, event: 'woken' });
  };
  const leaveIdle = async (mark: string): Promise<void> => {
    const conversationId = await open(second, mark);
    scene.crowd.history.expectedEntries.push({ conversationId, event: 'resolved' });
  };
  await Promise.all([...marks.map(snooze), ...marks.map(leaveIdle)]);
}

/** Waits until no timer of the day is left, or the service had enough time. Records those that are left. */
async function awaitTimers({ stage, crowd }: Scene): Promise<void> {
  const end = now() + MAX_DUE_MS + PAUSE_MS;
  const midnight = now() + DAY_MS;
  const isOfDay = ({ kind, due_at }: TimerRow) => kind !== 'mail' && due_at < midnight;
  for (;;) {
    const { at, timers } = await stage.database.with(client => readDatabase(client, crowd.workspaceIds, DAY_MS));
    const left = timers.filter(isOfDay);
    if (left.length > 0 && now() < end) await delay(50);
    else return void crowd.history.timersLeft.push({ at, timers: left });
  }
}
