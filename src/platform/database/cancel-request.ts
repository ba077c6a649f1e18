import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';

/** A PostgreSQL session, identified by the key data that the server sent when it began. */
export interface Session {
  host: string;
  port: number;
  processId: number;
  secretKey: number;
  /** TLS options; false for a plain connection. */
  tls: ConnectionOptions | boolean;
}

const SSL_REQUEST = 80_877_103;
const CANCEL_REQUEST = 80_877_102;

/**
 * Asks the server to cancel the running statement of a session, over a separate connection as the protocol requires. A
 * pooler forwards the request. The server sends no answer; it closes the connection when it has processed the request.
 * @param limitMs maximum wait; the promise resolves in any case
 */
export function sendCancelRequest(session: Session, limitMs: number): Promise<void> {
  return new Promise(resolve => {
    const socket = session.host.startsWith('/')
      ? connect(`${session.host}/.s.PGSQL.${session.port}`)
      : connect(session.port, session.host);
    const timer = setTimeout(() => socket.destroy(), limitMs);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    const request = message(CANCEL_REQUEST, session.processId, session.secretKey);
    socket.once('connect', () => {
      if (session.tls === false) socket.write(request);
      else requestTls(socket, session, request);
    });
  });
}

function requestTls(socket: Socket, { host, tls }: Session, request: Buffer): void {
  socket.write(message(SSL_REQUEST));
  socket.once('data', answer => {
    if (answer.toString('latin1') !== 'S') return void socket.destroy();
    const secure = connectTls({ host, ...(typeof tls === 'object' ? tls : {}), socket }, () => secure.write(request));
    secure.on('error', () => socket.destroy());
    secure.resume();
  });
}

function message(...words: number[]): Buffer {
  const bytes = Buffer.alloc(4 * (words.length + 1));
  bytes.writeInt32BE(bytes.length, 0);
  words.forEach((word, index) => bytes.writeInt32BE(word, 4 * (index + 1)));
  return bytes;
}
