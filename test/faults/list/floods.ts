import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { PASSWORD } from '../../support/world.js';
import { ALL_PATIENCE_MS } from '../client.js';
import type { Crowd } from '../crowd.js';
import type { FaultyDesk } from '../desk.js';
import { openDesk } from '../desk.js';
import type { Instance } from '../instance.js';

/** One workspace uses as much of an instance as it can, from `begin` to `end`. */
export interface Flood {
  begin(): Promise<void>;
  end(): Promise<void>;
}

export type FloodType = new (crowd: Crowd, instance: Instance, desk: FaultyDesk) => Flood;

/** The flooding workspace has its own address, which the instances trust from X-Forwarded-For. */
const FLOOD_ADDRESS = '198.51.100.7';
const ADDRESS_HEADER = { 'X-Forwarded-For': FLOOD_ADDRESS };
/** More than fit into the hash queue. */
const LOGINS = 50;
const HALF_SENT = { public: 200, authenticated: 100 } as const;
const KIB = 1024;
const JUNK_SOCKETS = 20;
const JUNK_KEYS = 5_000;
const RESUMES = 60;
/** Missed messages of 60 KB each, together below the replay limit of 8 MiB. */
const MISSED = 110;

/** Half-sent bodies, and logins of one account with its correct password. */
export class BodiesAndLogins implements Flood {
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
    // Until each has sent one request.
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
    while (!this.over) {
      const spec = { method: 'POST', path: '/v1/auth/login', body, headers: ADDRESS_HEADER };
      const answer = await this.crowd.http.send(this.instance.url, spec, ALL_PATIENCE_MS).catch(() => null);
      if (answer?.status !== 200) await delay(100);
    }
  }
}

/** Sockets of one visitor that send frames of 49 KB with thousands of values, and reconnect when closed. */
export class JunkFrames implements Flood {
  private readonly sockets = new Set<WebSocket>();
  private readonly loops: Promise<void>[] = [];
  private over = false;

  constructor(
    _crowd: Crowd,
    private readonly instance: Instance,
    private readonly desk: FaultyDesk,
  ) {}

  async begin(): Promise<void> {
    const keys = Array.from({ length: JUNK_KEYS }, (_nothing, index) => [`k${index}`, 0]);
    const frame = JSON.stringify({ type: 'ping', ...(Object.fromEntries(keys) as object) });
    for (let index = 0; index < JUNK_SOCKETS; index += 1) this.loops.push(this.send(frame));
    await delay(500);
  }

  async end(): Promise<void> {
    this.over = true;
    for (const socket of this.sockets) socket.terminate();
    await Promise.all(this.loops);
  }

  private async send(frame: string): Promise<void> {
    const [visitor] = this.desk.visitors;
    const url = `${this.instance.url.replace('http', 'ws')}/ws/visitor?token=${visitor?.token ?? ''}`;
    while (!this.over) {
      const socket = openSocket(url);
      this.sockets.add(socket);
      await new Promise(resolve => socket.once('open', resolve).once('close', resolve));
      while (!this.over && socket.readyState === WebSocket.OPEN) {
        if (socket.bufferedAmount < 10 * frame.length) socket.send(frame);
        await delay(25);
      }
      socket.terminate();
      this.sockets.delete(socket);
      await delay(200);
    }
  }
}

/** Agents' sockets of a separate workspace that resume megabytes and never read. */
export class StalledResumes implements Flood {
  private readonly sockets: WebSocket[] = [];

  constructor(
    private readonly crowd: Crowd,
    private readonly instance: Instance,
    _desk: FaultyDesk,
  ) {}

  async begin(): Promise<void> {
    const { http } = this.crowd;
    const { url } = this.instance;
    const desk = await openDesk(http, url);
    const callOk = async (method: string, path: string, body?: object) => {
      const answer = await http.send(
        url,
        { method, path, token: desk.key, body, headers: ADDRESS_HEADER },
        ALL_PATIENCE_MS,
      );
      if (answer.status >= 300) throw new Error(`${method} ${path} got ${answer.status}: ${answer.text}`);
      return answer.body.data;
    };
    const { cursor } = (await callOk('GET', '/v1/events?limit=1')) as { cursor: string };
    const [visitor] = desk.visitors;
    const path = `/v1/conversations/${visitor?.conversationId ?? ''}/messages`;
    const body = { content: '漢'.repeat(20_000), member_id: desk.owner.memberId };
    for (let sent = 0; sent < MISSED; sent += 10) {
      await Promise.all(Array.from({ length: 10 }, () => callOk('POST', path, body)));
    }
    for (let index = 0; index < RESUMES; index += 1) {
      const { token } = [desk.owner, desk.leaver, desk.second][index % 3]!;
      const query = new URLSearchParams({ token, after: cursor }).toString();
      const socket = openSocket(`${url.replace('http', 'ws')}/ws/agent?${query}`);
      socket.once('open', () => socket.pause());
      this.sockets.push(socket);
    }
    await delay(500);
  }

  end(): Promise<void> {
    for (const socket of this.sockets) socket.terminate();
    return Promise.resolve();
  }
}

function openSocket(url: string): WebSocket {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  return socket.on('error', () => undefined);
}
