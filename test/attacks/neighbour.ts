import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import { callApi, beginConversation, openDesk } from '../support/outside.js';
import { PASSWORD } from '../support/world.js';

/**
 * Measurements of another workspace in a separate process. It alternately lists its inbox and sends a message, receives
 * its messages on the other instance, and logs in. This file is both the parent's side and the process's program.
 */
export interface Measurement {
  /** Milliseconds of each successful request. */
  requests: number[];
  /** Milliseconds from the request to the frame on the other instance. */
  deliveries: number[];
  /** Acknowledged messages not delivered within `LATE_MS` after the measurement. */
  undelivered: number;
  /** Milliseconds of each successful login. */
  logins: number[];
  /** Failed requests and logins by status. */
  refused: Record<string, number>;
}

const EVERY_MS = 60;
const LOGIN_EVERY_MS = 1_000;
const LATE_MS = 3_000;

export class Neighbour {
  private constructor(private readonly child: ChildProcess) {}

  static async open(urls: readonly string[]): Promise<Neighbour> {
    const neighbour = new Neighbour(
      fork(import.meta.filename, [...urls], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
    );
    await neighbour.answer();
    return neighbour;
  }

  async measure(ms: number): Promise<Measurement> {
    this.child.send({ ms });
    return (await this.answer()) as Measurement;
  }

  close(): void {
    this.child.kill();
  }

  private answer(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.child.once('message', resolve);
      this.child.once('exit', code => reject(new Error(`the neighbour's process exited with ${code}`)));
    });
  }
}

async function program([near = '', far = '']: string[]): Promise<void> {
  const desk = await openDesk(near);
  const { conversationId } = await beginConversation(near, desk);
  const sent = new Map<string, number>();
  let deliveries: number[] = [];
  const listen = () => {
    const socket = new WebSocket(`${far.replace('http', 'ws')}/ws/agent?token=${desk.token}`);
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as { type: string; data: { message: { client_message_id: string } } };
      const at = frame.type === 'message.created' ? sent.get(frame.data.message.client_message_id) : undefined;
      if (at === undefined) return;
      sent.delete(frame.data.message.client_message_id);
      deliveries.push(performance.now() - at);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => setTimeout(listen, 100));
  };
  listen();
  const list = () => callApi('GET', `${near}/v1/conversations`, desk.token);
  const send = async () => {
    const client_message_id = randomUUID();
    const body = { content: 'Still there?', member_id: desk.memberId, client_message_id };
    sent.set(client_message_id, performance.now());
    await callApi('POST', `${near}/v1/conversations/${conversationId}/messages`, desk.key, body).catch(
      (error: unknown) => {
        sent.delete(client_message_id);
        throw error;
      },
    );
  };
  const login = () => callApi('POST', `${near}/v1/auth/login`, undefined, { email: desk.email, password: PASSWORD });

  process.on('message', ({ ms }: { ms: number }) => {
    void (async () => {
      const requests: number[] = [];
      const logins: number[] = [];
      const refused: Record<string, number> = {};
      deliveries = [];
      sent.clear();
      const timed = async (work: () => Promise<unknown>, into: number[]) => {
        const started = performance.now();
        try {
          await work();
          into.push(performance.now() - started);
        } catch (error) {
          const status = /: (\d{3}) /.exec((error as Error).message)?.[1] ?? 'no response';
          refused[status] = (refused[status] ?? 0) + 1;
        }
      };
      const pending: Promise<void>[] = [];
      const started = performance.now();
      for (let round = 0; performance.now() - started < ms; round += 1) {
        pending.push(timed(round % 2 ? send : list, requests));
        if ((round * EVERY_MS) % LOGIN_EVERY_MS < EVERY_MS) pending.push(timed(login, logins));
        const next = started + (round + 1) * EVERY_MS;
        await new Promise(resolve => setTimeout(resolve, Math.max(0, next - performance.now())));
      }
      await Promise.all(pending);
      for (const end = performance.now() + LATE_MS; sent.size > 0 && performance.now() < end;) {
        await new Promise(resolve => setTimeout(resolve, 20));
      }
      process.send?.({ requests, deliveries, undelivered: sent.size, logins, refused } satisfies Measurement);
    })();
  });
  process.send?.('ready');
}

if (process.argv[1] === import.meta.filename && process.send) await program(process.argv.slice(2));
