import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bench } from '../support/bench.js';

const { Requester } = await bench('load/requests.js');

const http = createServer((_request, answer) => answer.end('{}'));
let port = 0;

beforeAll(async () => {
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  port = (http.address() as AddressInfo).port;
});
afterAll(() => void http.close());

it('A benchmark connection sends one request after another, and fails at once if the server has closed it.', async () => {
  const requester = await Requester.open(port);
  const send = () =>
    new Promise<number | undefined>((done, failed) =>
      requester.ask('GET / HTTP/1.1\r\nHost: bench\r\n\r\n', (error, status) => (error ? failed(error) : done(status))),
    );
  expect([await send(), await send()]).toEqual([200, 200]);
  const closed = once(requester.socket, 'close');
  http.closeAllConnections();
  await closed;
  await expect(send()).rejects.toThrow('the server has closed the connection');
});
