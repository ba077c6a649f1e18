import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { debianProgram } from '../../support/debian.js';
import type { Fault } from '../fault.js';
import { pick } from '../fault.js';
import type { Rule } from '../instance.js';

/** Long enough for every point to be passed while people talk. */
const PASSED_MS = 3_000;
const PAUSE_MS = 10_000;

const dying = (point: Rule['point'], when: string): Fault => ({
  number: 'F1',
  name: `kill -9 of an instance ${when}`,
  async strike({ stage, random }) {
    const victim = pick(random, stage.instances);
    await victim.arm({ point, action: 'kill', after: Math.floor(random() * 8) });
    if (!(await victim.dies(PASSED_MS))) await victim.kill();
    await delay(random() * 500);
  },
});

/** Deaths, stalls and stops of the service itself. */
export const SERVICE_FAULTS: readonly Fault[] = [
  dying('write', 'before a statement'),
  dying('commit', 'before COMMIT'),
  dying('publish', 'after COMMIT, before anybody is told'),
  dying('answer', 'after all of it, before the answer'),
  {
    number: 'F1',
    name: 'kill -9 of both instances at once',
    async strike({ stage, random }) {
      await delay(random() * 200);
      await Promise.all(stage.instances.map(instance => instance.kill()));
    },
  },
  {
    number: 'F1',
    name: 'kill -9 of an instance amid its drain',
    async strike({ stage, random }) {
      const victim = pick(random, stage.instances);
      victim.signal('SIGTERM');
      await delay(random() * 900);
      await victim.kill();
    },
  },
  {
    number: 'F5',
    name: 'one of two instances is stopped for ten seconds',
    async strike({ stage, random }) {
      const victim = pick(random, stage.instances);
      victim.signal('SIGSTOP');
      await delay(PAUSE_MS);
      victim.signal('SIGCONT');
    },
  },
  {
    number: 'F7',
    name: 'answers are lost after the COMMIT, and asked for again',
    async strike({ stage, random }) {
      const rule: Rule = { point: 'answer', action: 'cut', after: 0, every: 1 + Math.floor(random() * 3), times: 12 };
      await Promise.all(stage.instances.map(instance => instance.arm(rule)));
      await delay(1_500);
    },
  },
  {
    number: 'F10',
    name: 'the instances are told to stop, one after the other, and start again',
    async strike({ stage }) {
      for (const instance of stage.instances) {
        await instance.stop();
        await instance.start();
      }
    },
  },
  {
    number: 'F12',
    name: 'the event loop is blocked for half a second, time and again',
    async strike({ stage, random }) {
      for (let times = 0; times < 3; times += 1) {
        await pick(random, stage.instances).order('block', { ms: 500 });
        await delay(random() * 200);
      }
    },
  },
  {
    number: 'F12',
    name: 'an instance has no descriptors left',
    needs: () => (debianProgram('prlimit', 'util-linux') ? null : 'there is no prlimit here'),
    async strike({ stage, crowd, random }) {
      const { pid } = pick(random, stage.instances);
      const [, usual = ''] = /Max open files\s+(\d+)/.exec(readFileSync(`/proc/${pid}/limits`, 'utf8')) ?? [];
      const limit = (soft: string) => {
        const { status } = spawnSync('prlimit', ['--pid', String(pid), `--nofile=${soft}:`]);
        if (status !== 0) throw new Error(`process ${pid} cannot be limited to ${soft} descriptors`);
      };
      limit(String(readdirSync(`/proc/${pid}/fd`).length + 2));
      // all of them come back at once, and find no room
      for (const listener of crowd.listeners) listener.drop();
      await delay(1_000 + random() * 500);
      limit(usual);
    },
  },
];
