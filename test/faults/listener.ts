import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Json } from '../support/json.js';
import type { Hearing, HeardFrame } from './history.js';
import { now } from './history.js';

/** An instance says something every second; who has heard nothing for so long takes it for dead. */
const DEAF_MS = 6_000;
const HANDSHAKE_MS = 4_000;

/** What somebody wants to hear, and the token that opens it. */
export type Room = Omit<Hearing, 'from' | 'stays' | 'frames'> & {
  credential: Credential;
  query?: Record<string, string>;
};

export interface Credential {
  token: string;
  /** Takes a fresh token for one that has expired. @returns false when there is none to be had any more */
  renew(): Promise<boolean>;
}

interface Target {
  name: string;
  url: string;
}

/**
 * A client that wants to hear everything: cut off, it comes back with its cursor, to another instance each time, with a
 * fresh token where that was the reason; told to stop (4500–4999, or refused for good), it stops.
 */
export class Listener {
  readonly hearing: Hearing;
  private readonly room: Room;
  private ws: WebSocket | null = null;
  private cursor: string | null = null;
  private done = false;
  private over = false;
  private heardAt = 0;
  private tries = 0;
  private readonly living: Promise<void>;

  private constructor(
    room: Room,
    private readonly targets: readonly Target[],
    private turn: number,
  ) {
    const { credential: _credential, query: _query, ...hearing } = room;
    this.room = room;
    this.hearing = { ...hearing, from: 0n, stays: [], frames: [] };
    this.living = this.live();
  }

  /** Resolves when it has heard `connected` for the first time. */
  static async open(room: Room, targets: readonly Target[], turn: number): Promise<Listener> {
    const listener = new Listener(room, targets, turn);
    for (const end = now() + 20_000; listener.cursor === null; await delay(10)) {
      if (now() > end || listener.over) throw new Error(`${room.name} cannot listen`);
    }
    return listener;
  }

  /** Whether it listens at present, or will never again. */
  get settled(): boolean {
    return this.over || (this.ws?.readyState === WebSocket.OPEN && this.connectedHere);
  }

  /** The socket that is open at present. */
  get socket(): WebSocket | null {
    return this.ws;
  }

  /** Cut off without a word. */
  drop(): void {
    this.ws?.terminate();
  }

  say(frame: object): void {
    if (this.ws?.readyState === WebSocket.OPEN) this.ws.send(JSON.stringify(frame));
  }

  async close(): Promise<void> {
    this.done = true;
    this.ws?.close();
    await Promise.race([this.living, delay(1_000)]);
    this.ws?.terminate();
    await this.living;
  }

  private get connectedHere(): boolean {
    const stay = this.hearing.stays.length - 1;
    return this.hearing.frames.some(frame => frame.stay === stay && frame.type === 'connected');
  }

  private async live(): Promise<void> {
    while (!this.done && !this.over) {
      const target = this.targets[this.turn % this.targets.length] as Target;
      this.turn += 1;
      const expired = await this.stay(target);
      if (expired && !(await this.room.credential.renew())) this.over = true;
      this.tries += 1;
      if (!this.done && !this.over) await delay(Math.min(20 * this.tries, 200));
    }
    this.over = true;
  }

  /** @returns whether it ended with its token */
  private stay(target: Target): Promise<boolean> {
    const { credential, query, audience } = this.room;
    const words = { token: credential.token, ...query, ...(this.cursor === null ? {} : { after: this.cursor }) };
    const url = `${target.url.replace('http', 'ws')}/ws/${audience}?${new URLSearchParams(words).toString()}`;
    const ws = new WebSocket(url, { handshakeTimeout: HANDSHAKE_MS });
    this.ws = ws;
    this.heardAt = now();
    const watch = setInterval(() => {
      if (now() - this.heardAt > DEAF_MS) ws.terminate();
    }, 250);
    let stay: Hearing['stays'][number] | null = null;
    let expired = false;
    ws.on('open', () => {
      stay = { instance: target.name, openedAt: now(), closedAt: null, code: null };
      this.hearing.stays.push(stay);
    });
    ws.on('ping', () => (this.heardAt = now()));
    ws.on('message', data => this.take(String(data as Buffer)));
    ws.on('unexpected-response', (_asked, response) => {
      const { statusCode = 0 } = response;
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('close', () => {
        expired = text.includes('"token_expired"');
        if (!expired && statusCode >= 400 && statusCode < 500 && statusCode !== 429) this.over = true;
        ws.terminate();
      });
    });
    ws.on('error', () => undefined);
    return new Promise(resolve =>
      ws.once('close', code => {
        clearInterval(watch);
        if (stay) Object.assign(stay, { closedAt: now(), code });
        if (code >= 4500) this.over = true;
        resolve(expired || code === 4003);
      }),
    );
  }

  private take(text: string): void {
    this.heardAt = now();
    const { type, id, cursor, data } = JSON.parse(text) as { type: string; id?: string; cursor?: string; data?: Json };
    const frame: HeardFrame = {
      stay: this.hearing.stays.length - 1,
      at: this.heardAt,
      type,
      id: id ?? null,
      cursor: cursor ?? null,
      text,
    };
    this.hearing.frames.push(frame);
    if (type === 'connected') this.tries = 0;
    const place = type === 'connected' ? data.cursor : type === 'resumed' ? data.to : cursor;
    if (typeof place === 'string') this.cursor = place;
  }
}
