import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { bench } from '../support/bench.js';

const { Stalled } = await bench('load/stalled.js');

const PIECE = 'x'.repeat(256 * 1024);

describe('Benchmark clients that stop reading', () => {
  const http = createServer();
  const server = new WebSocketServer({ server: http });
  let port = 0;

  beforeAll(async () => {
    server.on('connection', client => client.send('"connected"'));
    await new Promise<void>(done => http.listen(0, '127.0.0.1', done));
    port = (http.address() as AddressInfo).port;
  });
  afterAll(() => {
    for (const client of server.clients) client.terminate();
    http.close();
  });

  it('Stalled clients let data pile up at the server, and are replaced and counted once it cuts them off.', async () => {
    const stalled = new Stalled();
    const sockets = [1, 2].map(() => ({ path: '/', ready: '"connected"' }));
    expect(await stalled.stall({ port, sockets })).toEqual({ cut: 0 });
    const [first, second] = [...server.clients];
    if (!first || !second) throw new Error('no client connected');
    for (let piece = 0; piece < 100; piece += 1) first.send(PIECE);
    expect(first.bufferedAmount).toBeGreaterThan(8 * PIECE.length);
    expect(await stalled.stall({ port, sockets })).toEqual({ cut: 0 });
    first.terminate();
    expect(await stalled.stall({ port, sockets })).toEqual({ cut: 1 });
    expect(server.clients.size).toBe(2);
    expect(server.clients.has(second)).toBe(true);
    expect(await stalled.stall({ port, sockets: [] })).toEqual({ cut: 0 });
  });
});
