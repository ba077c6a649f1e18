import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ALL_BODIES_BYTES, BODY_MS, RequestBodiesService } from '../../src/platform/http/request-bodies.service.js';
import { eventually } from '../support/eventually.js';
import { lockRow } from '../support/blocking-transaction.js';
import { countsOf, race } from '../support/race.js';
import type { Desk } from '../support/world.js';
import { World } from '../support/world.js';

const KIB = 1024;

let world: World;
let desk: Desk;
let bodies: RequestBodiesService;
const open: Connection[] = [];
beforeAll(async () => {
  world = await World.start();
  desk = await world.desk();
  bodies = world.app.app.get(RequestBodiesService);
});
afterEach(async () => {
  for (const connection of open.splice(0)) connection.socket.destroy();
  await eventually(() => bodies.bytesBuffered === 0 || undefined);
});
afterAll(() => world.stop());

/** A connection and the response received on it. */
class Connection {
  text = '';
  closed = false;

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => (this.text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.closed = true));
  }

  static async to(url: string): Promise<Connection> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    const connection = new Connection(socket);
    open.push(connection);
    return connection;
  }

  get status(): number | undefined {
    return this.text === '' ? undefined : Number(this.text.split(' ', 2)[1]);
  }

  get answer(): { ok: boolean; error: { code: string } } {
    return JSON.parse(this.text.split('\r\n\r\n')[1] ?? '') as { ok: boolean; error: { code: string } };
  }

  /** Sends a request with this Content-Length and only this many bytes of its body. */
  send(path: string, announced: number, sentBytes: number, token?: string): this {
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: x',
      'Content-Type: application/json',
      `Content-Length: ${announced}`,
      ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ];
    this.socket.write(`${head.join('\r\n')}\r\n\r\n{"name":"${'x'.repeat(sentBytes - 9)}`);
    return this;
  }

  answered(): Promise<number> {
    return eventually(() => this.status);
  }
}

const halfSent = async (path: string, announced: number, sent: number, token?: string) =>
  (await Connection.to(world.app.url)).send(path, announced, sent, token);

describe('Incomplete request bodies', () => {
  it('A request without the required credential is refused at once, and none of its body is buffered.', async () => {
    const connections = await race(20, () => halfSent('/v1/contacts', 256 * KIB, 255 * KIB));
    const statuses = await Promise.all(connections.map(connection => connection.answered()));
    expect([countsOf(statuses), bodies.bytesBuffered]).toEqual([{ 401: 20 }, 0]);
  });

  it('A body over 32 KiB on a public route is refused before it is read.', async () => {
    const connections = await race(20, () => halfSent('/v1/auth/login', 256 * KIB, 255 * KIB));
    const statuses = await Promise.all(connections.map(connection => connection.answered()));
    expect([countsOf(statuses), bodies.bytesBuffered]).toEqual([{ 413: 20 }, 0]);
  });

  it('A body that does not arrive within 30 seconds is answered 408 in the error envelope, and its connection closes.', async () => {
    const late = await halfSent('/v1/auth/login', 32 * KIB, 31 * KIB);
    const signedIn = await halfSent('/v1/contacts', 256 * KIB, 255 * KIB, desk.owner.token);
    await eventually(() => bodies.bytesBuffered === 286 * KIB || undefined);
    const before = performance.now();
    bodies.endLate(before + BODY_MS - 5_000);
    expect([late.status, bodies.bytesBuffered]).toEqual([undefined, 286 * KIB]);
    bodies.endLate(before + BODY_MS);
    expect(bodies.bytesBuffered).toBe(0);
    for (const connection of [late, signedIn]) {
      expect(await connection.answered()).toBe(408);
      await eventually(() => connection.closed || undefined);
      expect(connection.answer).toMatchObject({ ok: false, error: { code: 'request_timeout' } });
      expect(connection.text).toContain('Connection: close');
    }
  });

  it('A connection whose request was refused is closed if the rest of its body does not arrive.', async () => {
    const refused = await halfSent('/v1/contacts', 256 * KIB, 10 * KIB);
    expect(await refused.answered()).toBe(401);
    bodies.endLate(performance.now() + BODY_MS);
    await eventually(() => refused.closed || undefined);
  });

  it('A response that takes longer than 30 seconds is not cut off.', async () => {
    const row = await lockRow(world.app.database, 'workspace', desk.workspaceId);
    const slow = desk.owner.api.patch('/v1/workspace', { name: 'Slow' });
    await row.awaited();
    bodies.endLate(performance.now() + 10 * BODY_MS);
    await row.commit();
    expect((await slow).status).toBe(200);
  });

  it('A client that disconnects inside its body leaves no buffered bytes.', async () => {
    const gone = await halfSent('/v1/auth/login', 32 * KIB, 31 * KIB);
    await eventually(() => bodies.bytesBuffered === 31 * KIB || undefined);
    gone.socket.destroy();
    await eventually(() => bodies.bytesBuffered === 0 || undefined);
  });

  it('A body that arrives byte by byte is read as one.', async () => {
    const connection = await Connection.to(world.app.url);
    connection.socket.setNoDelay(true);
    const body = JSON.stringify({ email: 'slow@example.com', password: 'not the right password' });
    connection.socket.write(
      `POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    for (const byte of body) {
      connection.socket.write(byte);
      await new Promise(resolve => setImmediate(resolve));
    }
    expect([await connection.answered(), connection.answer.error.code]).toEqual([401, 'invalid_credentials']);
  });
});

describe('The total limit of buffered bodies', () => {
  it('Incomplete bodies beyond 64 MiB in total are refused in favour of a new request.', async () => {
    const count = Math.ceil(ALL_BODIES_BYTES / (255 * KIB)) + 10;
    const connections = await race(count, () => halfSent('/v1/contacts', 256 * KIB, 255 * KIB, desk.owner.token));
    await eventually(() => bodies.bytesBuffered > ALL_BODIES_BYTES - 512 * KIB || undefined, 20_000);
    const name = 'n'.repeat(200);
    expect((await world.as(desk.owner.token).post('/v1/contacts', { name })).status).toBe(201);
    await eventually(
      () => (connections.filter(({ status }) => status === 503).length >= 10 ? true : undefined),
      20_000,
    );
    expect(bodies.bytesBuffered).toBeLessThanOrEqual(ALL_BODIES_BYTES);
    const refused = connections.find(({ status }) => status === 503);
    expect(refused?.answer.error.code).toBe('unavailable');
    expect(refused?.text).toContain('Retry-After: 1');
  });
});

describe('Incomplete request headers', () => {
  it('The server allows 15 seconds for request headers.', () => {
    expect(world.app.server.headersTimeout).toBe(15_000);
  });

  it('A connection whose headers do not end in time is answered 408 in the error envelope and closed.', async () => {
    const { headersTimeout } = world.app.server;
    world.app.server.headersTimeout = 200;
    const connection = await Connection.to(world.app.url);
    connection.socket.write('POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    expect(await connection.answered()).toBe(408);
    await eventually(() => connection.closed || undefined);
    expect(connection.answer).toMatchObject({ ok: false, error: { code: 'request_timeout' } });
    world.app.server.headersTimeout = headersTimeout;
  });
});
