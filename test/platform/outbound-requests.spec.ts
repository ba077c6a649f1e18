import { createServer } from 'node:http';
import type { IncomingHttpHeaders, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { newSigningSecret } from '../../src/platform/outbound/signing-secret.js';
import { senderOf } from '../support/outbound.js';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    server.closeAllConnections();
    return new Promise(resolve => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?x=1`;
}

describe('A request', () => {
  it('A request is signed with every secret.', async () => {
    const received: { headers: IncomingHttpHeaders; body: string }[] = [];
    const url = await serve((incoming, outgoing) => {
      let body = '';
      incoming.on('data', chunk => (body += String(chunk)));
      incoming.on('end', () => {
        received.push({ headers: incoming.headers, body });
        outgoing.end('ok');
      });
    });
    const secrets = [newSigningSecret(), newSigningSecret()];
    const { requests } = senderOf();
    const answer = await requests.post({ url, workspaceId: 'w', id: 'evt_1', secrets, body: '{"a":"ü"}' });
    expect(answer).toEqual({ status: 200, latencyMs: expect.any(Number), retryAfterMs: null, body: 'ok' });
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    for (const secret of secrets) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual({ a: 'ü' });
    }
    await requests.onApplicationShutdown();
  });
});
