import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { debianProgram } from '../../support/debian.js';
import type { Fault } from '../fault.js';
import { pick } from '../fault.js';
import type { Rule } from '../instance.js';

/** Long enough for traffic to pass every point. */
const PASSED_MS = 3_000;
const PAUSE_MS = 10_000;

const dying = (point: Rule['point'], when: string): Fault => ({
  number: 'F1',
  name: `kill -9 of an instance ${when}`,
  async inject({ stage, random }) {
    const victim = pick(random, stage.instances);
    await victim.arm({ point, action: 'kill', after: Math.floor(random() * 8) });
    if (!(await victim.dies(PASSED_MS))) await victim.kill();
    await delay(random() * 500);
  },
});

/** Kills, stalls and stops of the service itself. */
export const SERVICE_FAULTS: readonly Fault[] = [
  dying('write', 'before a statement'),
  dying('commit', 'before COMMIT'),
  dying('publish', 'after COMMIT, before the event is published'),
  dying('answer', 'after the commit, before the response'),
  {
    number: 'F1',
    name: 'kill -9 of both instances at once',
    async inject({ stage, random }) {
      await delay(random() * 200);
      await Promise.all(stage.instances.map(instance => instance.kill()));
    },
  },
  {
    number: 'F1',
    name: 'kill -9 of an instance during its drain',
    async inject({ stage, random }) {
      const victim = pick(random, stage.instances);
      victim.signal('SIGTERM');
      await delay(random() * 900);
      await victim.kill();
    },
  },
  {
    number: 'F5',
    name: 'one of two instances is suspended for ten seconds',
    async inject({ stage, random }) {
      const victim = pick(random, stage.instances);
      victim.signal('SIGSTOP');
      await delay(PAUSE_MS);
      victim.signal('SIGCONT');
    },
  },
  {
    number: 'F7',
    name: 'responses are lost after the COMMIT, and clients retry',
    async inject({ stage, random }) {
      const rule: Rule = { point: 'answer', action: 'cut', after: 0, every: 1 + Math.floor(random() * 3), times: 12 };
      await Promise.all(stage.instances.map(instance => instance.arm(rule)));
      await delay(1_500);
    },
  },
  {
    number: 'F10',
    name: 'the instances are stopped one after the other and started again',
    async inject({ stage }) {
      for (const instance of stage.instances) {
        await instance.stop();
        await instance.start();
      }
    },
  },
  {
    number: 'F12',
    name: 'the event loop is repeatedly blocked for half a second',
    async inject({ stage, random }) {
      for (let times = 0; times < 3; times += 1) {
        await pick(random, stage.instances).order('block', { ms: 500 });
        await delay(random() * 200);
      }
    },
  },
  {
    number: 'F12',
    name: 'an instance has no free descriptors',
    needs: () => (debianProgram('prlimit', 'util-linux') ? null : 'prlimit is not installed'),
    async inject({ stage, crowd, random }) {
      const { pid } = pick(random, stage.instances);
      const [, usual = ''] = /Max open files\s+(\d+)/.exec(readFileSync(`/proc/${pid}/limits`, 'utf8')) ?? [];
      const limit = (soft: string) => {
        const { status } = spawnSync('prlimit', ['--pid', String(pid), `--nofile=${soft}:`]);
        if (status !== 0) throw new Error(`cannot limit process ${pid} to ${soft} descriptors`);
      };
      limit(String(readdirSync(`/proc/${pid}/fd`).length + 2));
      // All clients reconnect at once and find no descriptors.
      for (const listener of crowd.listeners) listener.drop();
      await delay(1_000 + random() * 500);
      limit(usual);
    },
  },
];
