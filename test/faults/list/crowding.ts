import { PASSWORD } from '../../support/world.js';
import type { Ask } from '../client.js';
import { ALL_PATIENCE_MS } from '../client.js';
import type { Crowd } from '../crowd.js';
import type { FaultyDesk } from '../desk.js';
import type { Fault } from '../fault.js';
import { pick } from '../fault.js';
import { now } from '../history.js';
import type { Instance } from '../instance.js';
import type { FloodType } from './floods.js';
import { BodiesAndLogins, JunkFrames, StalledResumes } from './floods.js';

/** Each workspace comes from an address of its own; the instances trust the proxy that says so. */
const OTHER_ADDRESS = '203.0.113.7';
const SAMPLES = 40;

/** One workspace floods an instance while another one goes on. */
const crowding = (name: string, FloodOf: FloodType): Fault => ({
  number: 'F24',
  name,
  async strike({ stage, crowd, random }) {
    const [flooding, other] = crowd.desks as [FaultyDesk, FaultyDesk];
    const instance = pick(random, stage.instances);
    const calm = await measure(crowd, instance, other);
    const flood = new FloodOf(crowd, instance, flooding);
    try {
      await flood.begin();
      const crowded = await measure(crowd, instance, other);
      crowd.noteCrowding({
        what: `${instance.name} beside ${name}`,
        calmMs: calm.p99,
        crowdedMs: crowded.p99,
        refused: crowded.refused,
      });
    } finally {
      await flood.end();
    }
  },
});

export const CROWDING_FAULTS: readonly Fault[] = [
  crowding('half-sent bodies, and a queue of hashes that one account fills', BodiesAndLogins),
  crowding('twenty sockets of junk frames', JunkFrames),
  crowding('sixty resuming sockets that never read', StalledResumes),
];

/** How long requests of the workspace take, some of which have a password hashed. */
async function measure(crowd: Crowd, { url }: Instance, desk: FaultyDesk): Promise<{ p99: number; refused: string[] }> {
  const headers = { 'X-Forwarded-For': OTHER_ADDRESS };
  const login = { email: desk.owner.email, password: PASSWORD };
  const asks: Ask[] = [
    { method: 'GET', path: '/v1/workspace', token: desk.key, headers },
    { method: 'POST', path: '/v1/auth/login', body: login, headers },
  ];
  const times: number[] = [];
  const refused: string[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    for (const ask of asks) {
      const began = now();
      const { status } = await crowd.http.ask(url, ask, ALL_PATIENCE_MS);
      times.push(now() - began);
      if (status >= 300) refused.push(`${ask.method} ${ask.path} ${status}`);
    }
  }
  times.sort((a, b) => a - b);
  return { p99: times[Math.ceil(times.length * 0.99) - 1] ?? 0, refused };
}
