import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { PASSWORD } from '../../support/world.js';
import type { Ask } from '../client.js';
import { ALL_PATIENCE_MS } from '../client.js';
import type { Crowd } from '../crowd.js';
import type { FaultyDesk } from '../desk.js';
import type { Fault } from '../fault.js';
import { pick } from '../fault.js';
import { now } from '../history.js';
import type { Instance } from '../instance.js';

/** Each workspace comes from an address of its own; the instances trust the proxy that says so. */
const FLOOD_ADDRESS = '198.51.100.7';
const OTHER_ADDRESS = '203.0.113.7';
/** More than may wait for a password to be hashed. */
const LOGINS = 50;
const HALF_SENT = { public: 200, authenticated: 100 } as const;
const KIB = 1024;
const SAMPLES = 40;

/** One workspace takes all that it can get; another one must not notice. */
export const CROWDING_FAULTS: readonly Fault[] = [
  {
    number: 'F24',
    name: 'half-sent bodies, and a queue of hashes that one account fills',
    async strike({ stage, crowd, random }) {
      const [flooding, other] = crowd.desks as [FaultyDesk, FaultyDesk];
      const instance = pick(random, stage.instances);
      const calm = await measure(crowd, instance, other);
      const flood = new Flood(crowd, instance, flooding);
      await flood.begin();
      const crowded = await measure(crowd, instance, other);
      await flood.end();
      crowd.noteCrowding({
        what: `${instance.name} beside half-sent bodies and a flood of logins`,
        calmMs: calm.p99,
        crowdedMs: crowded.p99,
        refused: crowded.refused,
      });
    },
  },
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

/** Bodies of which the end never comes, and logins of one account with its own right password. */
class Flood {
  private readonly sockets: Socket[] = [];
  private readonly logins: Promise<void>[] = [];
  private over = false;

  constructor(
    private readonly crowd: Crowd,
    private readonly instance: Instance,
    private readonly desk: FaultyDesk,
  ) {}

  async begin(): Promise<void> {
    const { key } = this.desk;
    const opened = [
      ...Array.from({ length: HALF_SENT.public }, () => this.halfSend('/v1/auth/login', 32 * KIB)),
      ...Array.from({ length: HALF_SENT.authenticated }, () => this.halfSend('/v1/contacts', 256 * KIB, key)),
    ];
    await Promise.all(opened);
    for (let index = 0; index < LOGINS; index += 1) this.logins.push(this.logIn());
    // until each has asked once
    await delay(500);
  }

  async end(): Promise<void> {
    this.over = true;
    for (const socket of this.sockets) socket.destroy();
    await Promise.all(this.logins);
  }

  private async halfSend(path: string, bytes: number, token?: string): Promise<void> {
    const socket = connect(this.instance.port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    this.sockets.push(socket);
    await once(socket, 'connect');
    const head = [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json'];
    if (token !== undefined) head.push(`Authorization: Bearer ${token}`);
    head.push(`X-Forwarded-For: ${FLOOD_ADDRESS}`, `Content-Length: ${bytes}`, '', '');
    socket.write(`${head.join('\r\n')}{"name":"${'x'.repeat(bytes - KIB)}`);
  }

  private async logIn(): Promise<void> {
    const body = { email: this.desk.owner.email, password: PASSWORD };
    const headers = { 'X-Forwarded-For': FLOOD_ADDRESS };
    while (!this.over) {
      const ask = { method: 'POST', path: '/v1/auth/login', body, headers };
      const answer = await this.crowd.http.ask(this.instance.url, ask, ALL_PATIENCE_MS).catch(() => null);
      if (answer?.status !== 200) await delay(100);
    }
  }
}
