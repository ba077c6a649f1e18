import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SnoozeWorker } from '../../src/modules/conversations/snooze.worker.js';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import { RACE_SEEDS } from '../support/race.js';
import { seeded, waitUpTo } from '../support/seeded.js';
import { TwoInstances } from '../support/two-instances.js';
import type { Desk, Visitor } from '../support/world.js';

const MINUTE = 60;
/** Actions of a race begin within this time. */
const SPREAD_MS = 15;

let instances: TwoInstances;
let desk: Desk;
/** The owner at each instance. */
let owners: [Caller, Caller];
let key: Caller;
beforeAll(async () => {
  instances = await TwoInstances.start();
  const [first, second] = instances.worlds;
  desk = await first.desk();
  owners = [desk.owner.api, second.as(desk.owner.token)];
  key = await first.apiKey(desk);
});
afterAll(() => instances.stop());

/** A conversation that an agent has answered, and its visitor at each instance. */
async function begin(): Promise<{ id: string; visitor: Visitor; visitors: [Caller, Caller] }> {
  const [first, second] = instances.worlds;
  const visitor = await first.visitor(desk);
  const { id } = await first.conversation(visitor, 'Where is my parcel?');
  await desk.owner.api.post(`/v1/conversations/${id as string}/messages`, { content: 'On its way.' });
  return { id: id as string, visitor, visitors: [visitor.api, second.as(visitor.token)] };
}

async function readMessages(id: string): Promise<Json[]> {
  const { items } = (await key.get(`/v1/conversations/${id}/messages?limit=200`)).data as { items: Json[] };
  return items.sort((a, b) => (a.seq as number) - (b.seq as number));
}

/** From which statuses each timeline entry may come, and the status after it. */
const STEPS: Record<string, { from: readonly string[]; to: string }> = {
  snoozed: { from: ['open', 'snoozed'], to: 'snoozed' },
  woken: { from: ['snoozed'], to: 'open' },
  resolved: { from: ['open', 'snoozed'], to: 'resolved' },
  reopened: { from: ['resolved'], to: 'open' },
};

/** Follows the timeline from `open`. @returns the status that it ends with, and what is wrong on the way */
function follow(messages: readonly Json[]): { status: string; faults: string[] } {
  const faults: string[] = [];
  let status = 'open';
  for (const [index, { seq, sender_type: sender, metadata }] of messages.entries()) {
    if (seq !== index + 1) faults.push(`seq ${String(seq)} at place ${index + 1}`);
    const event = (metadata as Json | null)?.event as string | undefined;
    const step = event === undefined ? undefined : STEPS[event];
    if (step) {
      if (!step.from.includes(status)) faults.push(`${event} while ${status}`);
      status = step.to;
    } else if (sender === 'contact' && status !== 'open') {
      const next = (messages[index + 1]?.metadata as Json | null)?.event;
      if (next !== 'woken' && next !== 'reopened') faults.push(`a contact's message while ${status}`);
    }
  }
  return { status, faults };
}

const eventsOf = (messages: readonly Json[], event: string) =>
  messages.filter(({ metadata }) => (metadata as Json | null)?.event === event);

describe('Two instances', () => {
  it.each(Array.from({ length: RACE_SEEDS }, (_nothing, seed) => [seed]))(
    'Snooze, reply, contact message and resolve that race leave one story, seed %d.',
    async seed => {
      const random = seeded(seed);
      const { id, visitors } = await begin();
      const path = `/v1/conversations/${id}`;
      const actions: [string, () => Promise<{ status: number }>][] = [
        ['snoozed', () => owners[0].post(`${path}/snooze`, { until: new Date(Date.now() + 3_600_000).toISOString() })],
        ['snoozed', () => owners[1].post(`${path}/snooze`, {})],
        ['resolved', () => owners[seed % 2]?.post(`${path}/resolve`) as Promise<{ status: number }>],
        ['message', () => owners[1].post(`${path}/messages`, { content: 'It arrives tomorrow.' })],
        ['message', () => visitors[0].post(`/v1/widget/conversations/${id}/messages`, { content: 'Really?' })],
        ['message', () => visitors[1].post(`/v1/widget/conversations/${id}/messages`, { content: 'Hello?' })],
      ];
      const answers = await Promise.all(
        actions.map(async ([event, act]) => {
          await waitUpTo(random, SPREAD_MS);
          return { event, status: (await act()).status };
        }),
      );
      const succeeded = (event: string) =>
        answers.filter(answer => answer.event === event && answer.status < 300).length;
      expect(answers.filter(({ status }) => ![200, 201, 422].includes(status))).toEqual([]);
      expect(succeeded('message')).toBe(3);
      const messages = await readMessages(id);
      const { status, faults } = follow(messages);
      expect(faults).toEqual([]);
      expect((await key.get(path)).data).toMatchObject({ status, last_seq: messages.length });
      expect(eventsOf(messages, 'snoozed')).toHaveLength(succeeded('snoozed'));
      expect(eventsOf(messages, 'resolved')).toHaveLength(succeeded('resolved'));
      expect(messages.filter(({ content_type: type }) => type === 'text')).toHaveLength(5);
    },
  );

  it.each(Array.from({ length: RACE_SEEDS }, (_nothing, seed) => [seed]))(
    'A due snooze ends once, also against a message and a resolve, seed %d.',
    async seed => {
      const random = seeded(seed);
      const { id, visitors } = await begin();
      const path = `/v1/conversations/${id}`;
      const until = new Date(instances.worlds[0].app.clock.now().getTime() + 2 * MINUTE * 1_000);
      expect((await owners[0].post(`${path}/snooze`, { until: until.toISOString() })).status).toBe(200);
      for (const { app } of instances.worlds) app.clock.advance(3 * MINUTE);
      const rivals: (() => Promise<unknown>)[] = [
        () => visitors[1].post(`/v1/widget/conversations/${id}/messages`, { content: 'Anybody?' }),
        () => owners[1].post(`${path}/resolve`),
      ];
      await Promise.all([
        ...instances.worlds.flatMap(({ app }) => [
          app.app.get(SnoozeWorker).runUntilDone(),
          waitUpTo(random, SPREAD_MS).then(() => app.app.get(SnoozeWorker).runUntilDone()),
        ]),
        ...rivals.slice(0, seed % 3).map(async act => {
          await waitUpTo(random, SPREAD_MS);
          await act();
        }),
      ]);
      for (const { app } of instances.worlds) app.clock.reset();
      const messages = await readMessages(id);
      const { status, faults } = follow(messages);
      expect(faults).toEqual([]);
      expect((await key.get(path)).data).toMatchObject({ status, snoozed_until: null });
      expect(eventsOf(messages, 'woken').length).toBeLessThanOrEqual(1);
      if (seed % 3 < 2) expect([status, eventsOf(messages, 'woken').length]).toEqual(['open', 1]);
    },
  );
});
