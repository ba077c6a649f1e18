import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rawBytes } from '../support/raw-http.js';
import type { UpgradeAnswer } from '../support/upgrade.js';
import { upgrade } from '../support/upgrade.js';
import { World } from '../support/world.js';
import type { Desk } from '../support/world.js';

describe('Requests that offer an upgrade to another protocol', () => {
  let world: World;
  let desk: Desk;
  beforeAll(async () => {
    world = await World.start();
    desk = await world.desk();
  });
  afterAll(() => world.stop());

  const H2C = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAAQAAP__' };
  const requestWith = (path: string, headers: Record<string, string | undefined>): Promise<UpgradeAnswer> =>
    upgrade(`${world.app.url}${path}`, {
      headers: {
        'Sec-WebSocket-Key': undefined,
        'Sec-WebSocket-Version': undefined,
        Authorization: `Bearer ${desk.owner.token}`,
        ...headers,
      },
    });

  it.each([['h2c'], ['TLS/1.3'], ['websocket, h2c']])(
    'A request with an upgrade that is not supported is answered normally: %s',
    async protocol => {
      const plain = await desk.owner.api.get('/v1/auth/me');
      const answer = await requestWith('/v1/auth/me', { ...H2C, Upgrade: protocol });
      expect(answer.status).toBe(200);
      expect(answer.body.data).toEqual(plain.data);
      expect(answer.headers.connection).toBe('close');
    },
  );

  it('A request with an unsupported upgrade is refused normally.', async () => {
    const answer = await requestWith('/v1/auth/me', { ...H2C, Authorization: undefined });
    expect([answer.status, answer.body.error?.code]).toEqual([401, 'unauthenticated']);
  });

  it('The body of a request with an unsupported upgrade is read.', async () => {
    const body = JSON.stringify({ email: desk.owner.email, password: 'not this one at all' });
    const text = await rawBytes(
      world.app.url,
      [
        'POST /v1/auth/login HTTP/1.1',
        'Host: localhost',
        'Connection: Upgrade',
        'Upgrade: h2c',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        '',
        body,
      ].join('\r\n'),
    );
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
    expect(text).toContain('"invalid_credentials"');
  });

  it('A socket opens only for a WebSocket upgrade, in any letter case.', async () => {
    const path = `/ws/agent?token=${desk.owner.token}`;
    const handshake = { 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version': '13' };
    const agreed = await requestWith(path, { ...handshake, Upgrade: 'WebSocket' });
    expect(agreed.status).toBe(101);
    agreed.socket?.destroy();
    const answer = await requestWith(path, H2C);
    expect([answer.status, answer.body.error?.code]).toEqual([404, 'not_found']);
  });
});
