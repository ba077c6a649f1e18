import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from '../fault.js';
import type { Bus, Stage } from '../stage.js';

const needs = ({ bus }: Stage) => (bus ? null : 'there is no Redis between the instances');

const broken = (name: string, strike: (bus: Bus, random: () => number) => Promise<void>): Fault => ({
  number: 'F4',
  name,
  needs,
  strike: async ({ stage, random }) => strike(stage.bus as Bus, random),
});

/** A Redis that dies, hangs, lags or loses: it costs latency, not messages. */
export const BUS_FAULTS: readonly Fault[] = [
  broken('Redis is killed, and starts again', async ({ server }, random) => {
    await server.kill();
    await delay(500 + random() * 1_500);
    await server.start();
  }),
  broken('Redis is paused', async ({ server }, random) => {
    server.pause();
    await delay(500 + random() * 3_500);
    server.resume();
  }),
  broken('Redis takes commands and answers nothing', async ({ proxy }, random) => {
    proxy.swallow();
    await delay(500 + random() * 3_500);
  }),
  broken('Redis answers slowly', async ({ proxy }, random) => {
    proxy.latency = 50 + random() * 300;
    await delay(2_000);
  }),
  {
    number: 'F4',
    name: 'one publish in ten is lost',
    async strike({ stage }) {
      const rule = { point: 'publish', action: 'drop', after: 2, every: 9, times: 1_000 } as const;
      await Promise.all(stage.instances.map(instance => instance.arm(rule)));
      await delay(2_000);
    },
  },
];
