import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Answer } from './http.js';

/** The server's response to an upgrade. `socket` is set if the server accepted it. */
export interface UpgradeAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Empty if the server accepted. */
  body: Partial<Answer['body']>;
  socket: Duplex | null;
}

const HANDSHAKE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** Sends a hand-written upgrade, which no well-behaved WebSocket client would send. `undefined` drops a header. */
export function upgrade(
  url: string,
  options: { method?: string; headers?: Record<string, string | undefined> } = {},
): Promise<UpgradeAnswer> {
  const entries = Object.entries({ ...HANDSHAKE, ...options.headers });
  const headers = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const outgoing = request(url.replace(/^ws/, 'http'), { method: options.method ?? 'GET', headers, agent: false });
    outgoing.on('upgrade', (response, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: {}, socket });
    });
    outgoing.on('response', response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as UpgradeAnswer['body'];
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body, socket: null });
      });
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
