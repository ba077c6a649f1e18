import { PASSWORD } from '../../support/world.js';
import type { RequestSpec } from '../client.js';
import { ALL_PATIENCE_MS } from '../client.js';
import type { Crowd } from '../crowd.js';
import type { FaultyDesk } from '../desk.js';
import type { Fault } from '../fault.js';
import { pick } from '../fault.js';
import { now } from '../history.js';
import type { Instance } from '../instance.js';
import type { FloodType } from './floods.js';
import { BodiesAndLogins, JunkFrames, StalledResumes } from './floods.js';

/** The other workspace has its own address, which the instances trust from X-Forwarded-For. */
const OTHER_ADDRESS = '203.0.113.7';
const SAMPLES = 40;

/** One workspace floods an instance while another continues. */
const crowding = (name: string, FloodOf: FloodType): Fault => ({
  number: 'F24',
  name,
  async inject({ stage, crowd, random }) {
    const [flooding, other] = crowd.desks as [FaultyDesk, FaultyDesk];
    const instance = pick(random, stage.instances);
    const calm = await measure(crowd, instance, other);
    const flood = new FloodOf(crowd, instance, flooding);
    try {
      await flood.begin();
      const crowded = await measure(crowd, instance, other);
      crowd.recordCrowding({
        description: `${instance.name} during ${name}`,
        calmMs: calm.p99,
        crowdedMs: crowded.p99,
        refused: crowded.refused,
      });
    } finally {
      await flood.end();
    }
  },
});

export const CROWDED_LOGINS = crowding('half-sent bodies, and one account that fills the hash queue', BodiesAndLogins);

export const CROWDING_FAULTS: readonly Fault[] = [
  CROWDED_LOGINS,
  crowding('twenty sockets of junk frames', JunkFrames),
  crowding('sixty resuming sockets that never read', StalledResumes),
];

/** p99 of the workspace's requests in milliseconds, and those refused. Every second request hashes a password. */
async function measure(crowd: Crowd, { url }: Instance, desk: FaultyDesk): Promise<{ p99: number; refused: string[] }> {
  const headers = { 'X-Forwarded-For': OTHER_ADDRESS };
  const login = { email: desk.owner.email, password: PASSWORD };
  const specs: RequestSpec[] = [
    { method: 'GET', path: '/v1/workspace', token: desk.key, headers },
    { method: 'POST', path: '/v1/auth/login', body: login, headers },
  ];
  const times: number[] = [];
  const refused: string[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    for (const spec of specs) {
      const began = now();
      const { status } = await crowd.http.send(url, spec, ALL_PATIENCE_MS);
      times.push(now() - began);
      if (status >= 300) refused.push(`${spec.method} ${spec.path} ${status}`);
    }
  }
  times.sort((a, b) => a - b);
  return { p99: times[Math.ceil(times.length * 0.99) - 1] ?? 0, refused };
}
