import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { clientFrame, FrameReader } from './frames.js';

const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/** Limit for being accepted by the server. */
const MAX_WAIT_MS = 20_000;

/** Read buffer of all sockets of this process. */
const shared = Buffer.allocUnsafe(256 * 1024);

/**
 * Local addresses to use: one has 28,000 ports, each blocked for a minute after use, and finding a free one gets slow.
 */
const ADDRESSES = 240;
let opened = 0;

/**
 * Opens a socket and answers pings, including those of engine.io.
 * @param spec `{path, hello?, ready, refused?}`: the path, the first text to send, a part of the server's text of
 *   acceptance, and the start of its text of refusal
 * @param onMessage called with the text of acceptance and every later one: buffer, start and end of the payload
 * @param lost called with the reason of an unexpected end
 * @returns when accepted: `close` ends the socket, `stall` stops reading, `prod` writes a frame without a response. The
 *   error of a refusal has `retryAfter` in seconds
 */
export function listen(port, { path, hello, ready, refused }, onMessage, lost) {
  return new Promise((done, failed) => {
    let state = 'upgrading';
    const fail = (reason, retryAfter) => {
      clearTimeout(late);
      if (state === 'in') lost(reason);
      else if (state !== 'closed') failed(Object.assign(new Error(`a socket was refused: ${reason}`), { retryAfter }));
      state = 'closed';
      socket.destroy();
    };
    const late = setTimeout(() => fail(`not accepted within ${MAX_WAIT_MS} ms`), MAX_WAIT_MS);
    const frames = new FrameReader((opcode, data, start, end) => {
      if (opcode === PING) return void socket.write(clientFrame(PONG, data.subarray(start, end)));
      if (opcode === CLOSE) return fail(`closed with ${end - start < 2 ? 'no code' : data.readUInt16BE(start)}`);
      if (opcode !== TEXT) return;
      if (end - start === 1 && data[start] === 0x32) return void socket.write(clientFrame(TEXT, '3'));
      if (state === 'in') return onMessage(data, start, end);
      const text = data.toString('utf8', start, end);
      if (refused && text.startsWith(refused)) return fail(text);
      if (!text.includes(ready)) return;
      clearTimeout(late);
      state = 'in';
      done({
        close() {
          state = 'closed';
          socket.destroy();
        },
        stall: () => socket.pause(),
        prod: () => void socket.write(clientFrame(PONG, '')),
      });
      onMessage(data, start, end);
    });
    let head = '';
    const upgrade = chunk => {
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      if (!head.startsWith('HTTP/1.1 101')) {
        const [, seconds] = /\r\nretry-after: *(\d+)/i.exec(head) ?? [];
        return fail(head.split('\r\n', 1)[0], seconds === undefined ? undefined : Number(seconds));
      }
      state = 'entering';
      if (hello) socket.write(clientFrame(TEXT, hello));
      if (end + 4 < head.length) frames.read(Buffer.from(head.slice(end + 4), 'latin1'));
    };
    const socket = connect({
      host: '127.0.0.1',
      port,
      localAddress: `127.0.0.${2 + (opened++ % ADDRESSES)}`,
      noDelay: true,
      onread: {
        buffer: shared,
        callback(length) {
          const chunk = shared.subarray(0, length);
          if (state === 'upgrading') upgrade(chunk);
          else frames.read(chunk);
          return true;
        },
      },
    });
    socket.on('error', error => fail(error.message));
    socket.on('close', () => fail('cut'));
    const key = randomBytes(16).toString('base64');
    const lines = ['Host: bench', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\nSec-WebSocket-Key: ${key}\r\n\r\n`);
  });
}
