import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** A WebSocket frame, valid or not. */
export interface RawFrame {
  opcode: number;
  payload?: Buffer | string;
  fin?: boolean;
  /** The three reserved bits. */
  reserved?: number;
  masked?: boolean;
  /** A false payload length for the header, always written in 64 bits. */
  claims?: bigint;
}

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export function frameBytes({
  opcode,
  payload = '',
  fin = true,
  reserved = 0,
  masked = true,
  claims,
}: RawFrame): Buffer {
  const data = Buffer.from(payload);
  const first = (fin ? 0x80 : 0) | (reserved << 4) | opcode;
  const flag = masked ? 0x80 : 0;
  const head = lengthBytes(first, flag, data.length, claims);
  if (!masked) return Buffer.concat([head, data]);
  const mask = randomBytes(4);
  return Buffer.concat([head, mask, data.map((byte, index) => byte ^ (mask[index % 4] ?? 0))]);
}

function lengthBytes(first: number, flag: number, length: number, claims: bigint | undefined): Buffer {
  if (claims === undefined && length < 126) return Buffer.from([first, flag | length]);
  if (claims === undefined && length < 65_536) return Buffer.from([first, flag | 126, length >> 8, length & 0xff]);
  const long = Buffer.alloc(10);
  long.set([first, flag | 127]);
  long.writeBigUInt64BE(claims ?? BigInt(length), 2);
  return long;
}

/** A close frame. A `code` of null sends half a code. */
export function closeBytes(code: number | null, reason: Buffer | string = ''): Buffer {
  const payload = code === null ? Buffer.from([3]) : Buffer.from([code >> 8, code & 0xff, ...Buffer.from(reason)]);
  return frameBytes({ opcode: OPCODE.close, payload });
}

/** Connects and asks for a WebSocket, without reading the answer. */
export function requestUpgrade(wsUrl: string, path: string): Socket {
  const { hostname, port } = new URL(wsUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  const lines = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
  const key = `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`;
  socket.write([`GET ${path} HTTP/1.1`, `Host: ${hostname}`, ...lines, key, '', ''].join('\r\n'));
  return socket;
}

/** A WebSocket over a plain TCP connection. It can send frames that no library would send. */
export class RawSocket {
  /** Text frames from the server. */
  readonly texts: { type: string; error?: { code: string } }[] = [];
  pongs = 0;
  /** Close code from the server. */
  closeCode: number | null = null;
  /** True once the TCP connection has closed. */
  over = false;
  private rest: Buffer = Buffer.alloc(0);
  private readonly watchers = new Set<() => void>();

  private constructor(readonly socket: Socket) {
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.over = true;
      this.notifyWatchers();
    });
  }

  /** Sends the upgrade and waits for `connected`. */
  static async open(wsUrl: string, path: string): Promise<RawSocket> {
    const socket = requestUpgrade(wsUrl, path);
    const raw = new RawSocket(socket);
    raw.rest = await headOf(socket);
    socket.on('data', chunk => raw.take(chunk));
    raw.take(Buffer.alloc(0));
    await raw.until(() => raw.texts.some(({ type }) => type === 'connected'), 'connected');
    return raw;
  }

  write(...frames: (RawFrame | Buffer)[]): void {
    this.socket.write(Buffer.concat(frames.map(frame => (Buffer.isBuffer(frame) ? frame : frameBytes(frame)))));
  }

  /** Sends an application ping. Returns `open` if it is answered, else how the socket was closed. */
  async fate(): Promise<number | 'open' | 'cut'> {
    const pongs = this.texts.filter(({ type }) => type === 'pong').length;
    const answered = () => this.texts.filter(({ type }) => type === 'pong').length > pongs;
    if (!this.over) this.write({ opcode: OPCODE.text, payload: '{"type":"ping"}' });
    await this.until(() => this.closeCode !== null || this.over || answered(), 'pong or close');
    return this.closeCode ?? (this.over ? 'cut' : 'open');
  }

  destroy(): void {
    this.socket.destroy();
  }

  until(isTrue: () => boolean, description: string, ms = 5_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!isTrue()) return;
        clearTimeout(timer);
        this.watchers.delete(look);
        resolve();
      };
      const timer = setTimeout(() => {
        this.watchers.delete(look);
        reject(new Error(`no ${description} within ${ms} ms`));
      }, ms);
      this.watchers.add(look);
      look();
    });
  }

  /** Reads server frames, which are never masked, fragmented or longer than 16 bits can express here. */
  private take(chunk: Buffer): void {
    this.rest = Buffer.concat([this.rest, chunk]);
    for (;;) {
      const short = (this.rest[1] ?? 0) & 0x7f;
      const start = short === 126 ? 4 : 2;
      if (this.rest.length < start) break;
      const length = short === 126 ? this.rest.readUInt16BE(2) : short;
      if (this.rest.length < start + length) break;
      this.read((this.rest[0] ?? 0) & 0x0f, this.rest.subarray(start, start + length));
      this.rest = this.rest.subarray(start + length);
    }
    this.notifyWatchers();
  }

  private read(opcode: number, payload: Buffer): void {
    if (opcode === OPCODE.text) this.texts.push(JSON.parse(payload.toString()) as { type: string });
    if (opcode === OPCODE.pong) this.pongs += 1;
    if (opcode === OPCODE.close) this.closeCode = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
  }

  private notifyWatchers(): void {
    for (const watcher of [...this.watchers]) watcher();
  }
}

/** Reads the response head. @returns the bytes after it @throws Error if the status is not 101 */
function headOf(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0);
    const read = (chunk: Buffer) => {
      seen = Buffer.concat([seen, chunk]);
      const end = seen.indexOf('\r\n\r\n');
      if (end < 0) return;
      socket.off('data', read);
      const head = seen.subarray(0, end).toString();
      if (head.startsWith('HTTP/1.1 101')) resolve(seen.subarray(end + 4));
      else reject(new Error(`upgrade refused: ${head}`));
    };
    socket.on('data', read);
    socket.once('close', () => reject(new Error('connection closed during the upgrade')));
  });
}
