import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

/** A response without any parsing. */
export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface RawRequest {
  method: string;
  /** Sent unchanged: latin-1 characters without spaces. */
  path: string;
  headers: Record<string, string | string[]>;
  body: Buffer | null;
  /** Sends no Content-Length. */
  chunked?: boolean;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** Sends requests that no well-behaved client would send. */
export function rawRequest(base: string, { method, path, headers, body, chunked }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const outgoing = request({ agent, hostname, port, method, path, headers, setHost: true }, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    if (body === null) return void outgoing.end();
    if (chunked) outgoing.setHeader('Transfer-Encoding', 'chunked');
    else outgoing.setHeader('Content-Length', body.length);
    outgoing.end(body);
  });
}

/** Closes kept-alive connections; a stopping server would otherwise wait for them. */
export function closeRawConnections(): void {
  agent.destroy();
}

/** Writes bytes to a server and reads until it closes or `satisfied` accepts the text received. */
export function rawBytes(
  base: string,
  bytes: string | Buffer,
  satisfied: (text: string) => boolean = () => false,
): Promise<string> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let text = '';
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the server neither answered nor closed; it sent: ${text || 'nothing'}`));
    }, 5_000);
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    };
    socket.on('data', chunk => {
      text += chunk.toString('latin1');
      if (satisfied(text)) done();
    });
    socket.on('error', done);
    socket.on('close', done);
    socket.write(bytes);
  });
}
