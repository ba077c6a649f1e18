import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { Contract } from './contract.js';
import type { Json } from './json.js';

export interface Frame {
  type: string;
  id?: string;
  cursor?: string;
  conversation_id?: string;
  channel_id?: string;
  data: Record<string, Json>;
  error?: { code: string; message: string };
}

/** A refused handshake, with its HTTP response. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly headers: IncomingMessage['headers'],
    readonly body: Json,
  ) {
    super(`refused with ${status}: ${JSON.stringify(body)}`);
  }
}

/**
 * A WebSocket client that keeps every frame and validates each against the reference. Tests wait for frames instead of
 * sleeping.
 */
export class TestSocket {
  readonly frames: Frame[] = [];
  closed: { code: number; reason: string } | null = null;
  private readonly waiters = new Set<() => void>();
  private fault: Error | null = null;

  private constructor(
    readonly ws: WebSocket,
    private readonly audience: 'agent' | 'visitor',
    private readonly contract: Contract,
  ) {
    ws.on('message', data => this.take(String(data)));
    ws.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
      this.check(() => contract.assertClose(code));
      this.wake();
    });
    ws.on('error', () => undefined);
  }

  /** Opens a socket and waits for `connected`. @throws Refused */
  static async open(
    url: string,
    audience: 'agent' | 'visitor',
    contract: Contract,
    headers: Record<string, string> = {},
  ): Promise<TestSocket> {
    const ws = new WebSocket(url, { headers });
    const socket = new TestSocket(ws, audience, contract);
    await new Promise<void>((resolve, reject) => {
      ws.once('open', resolve);
      ws.once('error', reject);
      ws.once('unexpected-response', (_request, response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const body: unknown = text.startsWith('{') ? JSON.parse(text) : text;
          socket.check(() => contract.assertRefusal(audience, response.statusCode ?? 0, body));
          reject(new Refused(response.statusCode ?? 0, response.headers, body));
        });
      });
    });
    return socket;
  }

  send(frame: unknown): void {
    this.ws.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame));
  }

  /** Waits for the first matching frame of the type, past or future. */
  next(type: string, accepts: (frame: Frame) => boolean = () => true, ms = 5_000): Promise<Frame> {
    const find = () => this.frames.find(frame => frame.type === type && accepts(frame));
    return this.until(find, `${type} within ${ms} ms`, ms);
  }

  /** Waits until the socket is closed. Returns its close code and reason. */
  end(ms = 5_000): Promise<{ code: number; reason: string }> {
    return this.until(() => this.closed ?? undefined, `a close within ${ms} ms`, ms);
  }

  /** Sends `ping` and waits for `pong`: everything the server sent before has then arrived. */
  async settled(): Promise<void> {
    const pongs = this.of('pong').length;
    this.send({ type: 'ping' });
    await this.until(() => (this.of('pong').length > pongs ? true : undefined), 'pong', 5_000);
  }

  of(type: string): Frame[] {
    return this.frames.filter(frame => frame.type === type);
  }

  async close(): Promise<void> {
    this.ws.close();
    await this.end();
  }

  private take(text: string): void {
    const frame = JSON.parse(text) as Frame;
    this.frames.push(frame);
    this.check(() => this.contract.assertFrame(this.audience, frame as unknown as Record<string, unknown>));
    this.wake();
  }

  /** Records a violation. A pending wait fails at once; otherwise the test fails when the service stops. */
  private check(assert: () => void): void {
    try {
      assert();
    } catch (error) {
      this.fault ??= error as Error;
      this.contract.faults.push(error as Error);
    }
  }

  private wake(): void {
    for (const waiter of [...this.waiters]) waiter();
  }

  private until<T>(find: () => T | undefined, description: string, ms: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        this.waiters.delete(look);
      };
      const look = () => {
        const found = find();
        if (this.fault) {
          done();
          reject(this.fault);
        } else if (found !== undefined) {
          done();
          resolve(found);
        }
      };
      const timer = setTimeout(() => {
        done();
        const seen = this.frames.map(frame => frame.type).join(', ');
        reject(new Error(`no ${description}; saw: ${seen || 'nothing'}; closed: ${JSON.stringify(this.closed)}`));
      }, ms);
      this.waiters.add(look);
      look();
    });
  }
}
