import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { bench } from '../support/bench.js';

const { Crowd } = await bench('load/crowd.js');

/** The test server replays messages after the client's cursor. With `forgotten` it drops one. */
describe('Benchmark clients that are cut off and reconnect', () => {
  const http = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  const searches: string[] = [];
  let toRefuse = 0;
  let lastSeq = 2;
  let port = 0;

  const message = (seq: number) => ({ type: 'message.created', cursor: `c${seq}`, data: { message: { seq } } });

  beforeAll(async () => {
    http.on('upgrade', (request: IncomingMessage, socket, head) => {
      const url = new URL(request.url ?? '', 'http://bench');
      searches.push(url.search);
      if (toRefuse-- > 0) return void socket.end('HTTP/1.1 503 Busy\r\nRetry-After: 0\r\n\r\n');
      sockets.handleUpgrade(request, socket, head, client => {
        const send = (frame: object) => client.send(JSON.stringify(frame));
        send({ type: 'connected', data: { cursor: `c${lastSeq}` } });
        const after = url.searchParams.get('after');
        if (after === null) return;
        for (let seq = Number(after.slice(1)) + 1; seq <= lastSeq; seq += 1) {
          if (!(url.searchParams.has('forgotten') && seq === 4)) send(message(seq));
        }
        send({ type: 'resumed', data: { to: `c${lastSeq}` } });
      });
    });
    await new Promise<void>(done => http.listen(0, '127.0.0.1', done));
    port = (http.address() as AddressInfo).port;
  });
  afterAll(() => {
    for (const client of sockets.clients) client.terminate();
    http.close();
  });

  it('Reconnecting benchmark clients resume from their cursor, retry a refused handshake, and count missing messages.', async () => {
    const crowd = new Crowd();
    const paths = ['/ws?who=told', '/ws?who=another&forgotten=1'];
    await crowd.gather({ port, sockets: paths.map(path => ({ path, ready: '"connected"', conversation: 'talk' })) });
    crowd.cut();
    lastSeq = 5;
    toRefuse = 1;
    const { handshakes, refused } = await crowd.back();
    expect({ handshakes, refused }).toEqual({ handshakes: 3, refused: 1 });
    expect(searches.slice(2).every(search => search.includes('after=c2'))).toBe(true);
    expect(crowd.lacking({ spans: { talk: [3, 3] } }).missing).toBe(0);
    expect(crowd.lacking({ spans: { talk: [3, 5] } })).toEqual({ missing: 1, synced: 0 });
    expect(crowd.lacking({ spans: { talk: [3, 6] } }).missing).toBe(3);
    crowd.cut();
    expect(crowd.lacking({ spans: { talk: [3, 5] } }).missing).toBe(6);
  });
});
