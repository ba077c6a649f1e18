import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Json } from '../support/json.js';
import type { Subscription, ReceivedFrame } from './history.js';
import { now } from './history.js';

/** An instance sends a ping every second. A client without any takes the connection for dead. */
const DEAF_MS = 6_000;
const HANDSHAKE_MS = 4_000;

/** The events a client subscribes to, and its token. */
export type Room = Omit<Subscription, 'from' | 'connections' | 'frames'> & {
  credential: Credential;
  query?: Record<string, string>;
};

export interface Credential {
  token: string;
  /** Replaces an expired token. @returns false if no new one is available */
  renew(): Promise<boolean>;
}

interface Target {
  name: string;
  url: string;
}

/**
 * A client that receives all its events. Cut off, it resumes on the next instance, with a fresh token if needed. After
 * a final close code (4500–4999) or refusal it stops.
 */
export class Listener {
  readonly subscription: Subscription;
  private readonly room: Room;
  private ws: WebSocket | null = null;
  private cursor: string | null = null;
  private done = false;
  private over = false;
  private lastFrameAt = 0;
  private tries = 0;
  private refusal = 'no answer';
  private readonly running: Promise<void>;

  private constructor(
    room: Room,
    private readonly targets: readonly Target[],
    private attempt: number,
  ) {
    const { credential: _credential, query: _query, ...subscription } = room;
    this.room = room;
    this.subscription = { ...subscription, from: 0n, connections: [], frames: [] };
    this.running = this.run();
  }

  /** Resolves at the first `connected`. */
  static async open(room: Room, targets: readonly Target[], attempt: number): Promise<Listener> {
    const listener = new Listener(room, targets, attempt);
    for (const end = now() + 20_000; listener.cursor === null; await delay(10)) {
      if (now() > end || listener.over) throw new Error(`${room.name} cannot connect: ${listener.refusal}`);
    }
    return listener;
  }

  /** True if it is connected now, or has stopped for good. */
  get settled(): boolean {
    return this.over || (this.ws?.readyState === WebSocket.OPEN && this.connectedHere);
  }

  /** The current socket. */
  get socket(): WebSocket | null {
    return this.ws;
  }

  /** Terminates the connection without a close frame. */
  drop(): void {
    this.ws?.terminate();
  }

  send(frame: object): void {
    if (this.ws?.readyState === WebSocket.OPEN) this.ws.send(JSON.stringify(frame));
  }

  async close(): Promise<void> {
    this.done = true;
    this.ws?.close();
    await Promise.race([this.running, delay(1_000)]);
    this.ws?.terminate();
    await this.running;
  }

  private get connectedHere(): boolean {
    const index = this.subscription.connections.length - 1;
    return this.subscription.frames.some(frame => frame.connection === index && frame.type === 'connected');
  }

  private async run(): Promise<void> {
    while (!this.done && !this.over) {
      const target = this.targets[this.attempt % this.targets.length] as Target;
      this.attempt += 1;
      const expired = await this.connectTo(target);
      if (expired && !(await this.room.credential.renew())) this.over = true;
      this.tries += 1;
      if (!this.done && !this.over) await delay(Math.min(20 * this.tries, 200));
    }
    this.over = true;
  }

  /** @returns true if it ended because its token expired */
  private connectTo(target: Target): Promise<boolean> {
    const { credential, query, audience } = this.room;
    const words = { token: credential.token, ...query, ...(this.cursor === null ? {} : { after: this.cursor }) };
    const url = `${target.url.replace('http', 'ws')}/ws/${audience}?${new URLSearchParams(words).toString()}`;
    const ws = new WebSocket(url, { handshakeTimeout: HANDSHAKE_MS });
    this.ws = ws;
    this.lastFrameAt = now();
    const watch = setInterval(() => {
      if (now() - this.lastFrameAt > DEAF_MS) ws.terminate();
    }, 250);
    let connection: Subscription['connections'][number] | null = null;
    let expired = false;
    ws.on('open', () => {
      connection = { instance: target.name, openedAt: now(), closedAt: null, code: null };
      this.subscription.connections.push(connection);
    });
    ws.on('ping', () => (this.lastFrameAt = now()));
    ws.on('message', data => this.take(String(data as Buffer)));
    ws.on('unexpected-response', (_request, response) => {
      const { statusCode = 0 } = response;
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('close', () => {
        this.refusal = `${statusCode} ${text}`;
        expired = text.includes('"token_expired"');
        if (!expired && statusCode >= 400 && statusCode < 500 && statusCode !== 429) this.over = true;
        ws.terminate();
      });
    });
    ws.on('error', () => undefined);
    return new Promise(resolve =>
      ws.once('close', code => {
        clearInterval(watch);
        if (connection) {
          Object.assign(connection, { closedAt: now(), code });
          this.refusal = `closed with ${code}`;
        }
        if (code >= 4500) this.over = true;
        resolve(expired || code === 4003);
      }),
    );
  }

  private take(text: string): void {
    this.lastFrameAt = now();
    const { type, id, cursor, data } = JSON.parse(text) as { type: string; id?: string; cursor?: string; data?: Json };
    const frame: ReceivedFrame = {
      connection: this.subscription.connections.length - 1,
      at: this.lastFrameAt,
      type,
      id: id ?? null,
      cursor: cursor ?? null,
      text,
    };
    this.subscription.frames.push(frame);
    if (type === 'connected') this.tries = 0;
    const position = type === 'connected' ? data.cursor : type === 'resumed' ? data.to : cursor;
    if (typeof position === 'string') this.cursor = position;
  }
}
