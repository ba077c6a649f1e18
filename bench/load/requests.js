import { connect } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const CHUNKS_END = Buffer.from('0\r\n\r\n');

/**
 * Keep-alive connection that sends one request after another, and reads only status and length of responses. Node's
 * own client would use more processor time than some of the measured servers.
 */
export class Requester {
  parts = null;
  waiting = null;

  static open(port) {
    return new Promise((done, failed) => {
      const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () => done(new Requester(socket)));
      socket.once('error', failed);
    });
  }

  constructor(socket) {
    this.socket = socket;
    socket.removeAllListeners('error');
    socket.on('data', chunk => this.read(chunk));
    socket.on('error', error => this.end(error));
    socket.on('close', () => this.end(new Error('the server has closed the connection')));
  }

  /** @param text the whole request, ASCII @param done called with an error, or null and the status */
  ask(text, done) {
    if (this.socket.destroyed) return void done(new Error('the server has closed the connection'));
    this.waiting = done;
    this.socket.write(text, 'latin1');
  }

  close() {
    this.waiting = null;
    this.socket.destroy();
  }

  read(chunk) {
    const data = this.parts === null ? chunk : Buffer.concat([this.parts, chunk]);
    const headEnd = data.indexOf(HEAD_END);
    if (headEnd < 0 || !isWhole(data, headEnd)) {
      this.parts = data;
      return;
    }
    this.parts = null;
    const { waiting } = this;
    this.waiting = null;
    waiting?.(null, Number(data.latin1Slice(9, 12)));
  }

  end(error) {
    const { waiting } = this;
    this.waiting = null;
    waiting?.(error);
  }
}

function isWhole(data, headEnd) {
  const head = data.latin1Slice(0, headEnd);
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  if (length !== undefined) return data.length - headEnd - 4 >= Number(length);
  return data.subarray(-CHUNKS_END.length).equals(CHUNKS_END);
}

/**
 * @param target `{method, path, token, before, after, contentType?}`: `before` and `after` surround the content in the
 *   body, which is JSON by default; a target without `before` has no body
 * @returns content → the text of a request
 */
export function requestTo({ method, path, token, before, after, contentType = 'application/json' }) {
  const head = [`${method} ${path} HTTP/1.1`, 'Host: bench', ...(token ? [`Authorization: Bearer ${token}`] : [])];
  if (before === undefined) return () => `${head.join('\r\n')}\r\n\r\n`;
  const lines = `${[...head, `Content-Type: ${contentType}`].join('\r\n')}\r\nContent-Length: `;
  const length = before.length + after.length;
  return content => `${lines}${length + content.length}\r\n\r\n${before}${content}${after}`;
}
