import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { BROKEN_FRAMES } from '../support/broken-frames.js';
import type { TestDatabase } from '../support/database.js';
import { cloneDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import type { OutsideDesk } from '../support/outside.js';
import { callApi, beginConversation, ResumingListener, openDesk } from '../support/outside.js';
import { race } from '../support/race.js';
import { rawBytes } from '../support/raw-http.js';
import { frameBytes, OPCODE, RawSocket } from '../support/raw-socket.js';
import { ensureBuilt, ServiceProcess } from '../support/service-process.js';

const RATES =
  'register=1000/60,widget_session=1000/60,visitor=10000/60,visitor_message=10000/60,agent=10000/60,handshake=10000/60';
const UPGRADE = {
  Host: 'localhost',
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};
const PING = frameBytes({ opcode: OPCODE.text, payload: '{"type":"ping"}' });

type Headers = Record<string, string | null>;

let database: TestDatabase;
let service: ServiceProcess;
let url: string;
let desk: OutsideDesk;
let conversation: { token: string; conversationId: string };
let path: string;
/** Well-behaved clients, which must not be affected. */
let witnesses: ResumingListener[] = [];
beforeAll(async () => {
  ensureBuilt();
  database = await cloneDatabase();
  service = ServiceProcess.start({ DATABASE_URL: database.url, RATE_LIMITS: RATES });
  url = await service.url(60_000);
  desk = await openDesk(url);
  conversation = await beginConversation(url, desk);
  path = `/ws/agent?token=${desk.token}`;
  witnesses = [await ResumingListener.agent(url, desk.token), await ResumingListener.visitor(url, conversation.token)];
}, 240_000);
afterAll(async () => {
  for (const witness of witnesses) witness.close();
  await service.kill();
  await database.drop();
});

/** Checks that the process has logged no warning and that the witnesses' first sockets still receive messages. */
afterEach(async () => {
  const content = `still here ${Math.random()}`;
  await callApi('POST', `${url}/v1/widget/conversations/${conversation.conversationId}/messages`, conversation.token, {
    content,
  });
  for (const witness of witnesses) {
    await witness.waitForFrame(({ data }) => data?.message?.content === content);
    expect(witness.ends).toEqual([]);
  }
  expect(service.lines.filter(({ level }) => ['warn', 'error', 'fatal'].includes(level))).toEqual([]);
  expect(service.otherOutput).toEqual([]);
});

const descriptors = () => readdirSync(`/proc/${service.child.pid}/fd`).length;

/** An upgrade request as bytes. A header of `null` is left out; `after` follows the head. */
function handshake(headers: Headers = {}, line = `GET ${path} HTTP/1.1`, after: Buffer | string = ''): Buffer {
  const entries = Object.entries({ ...UPGRADE, ...headers }).filter(([, value]) => value !== null);
  const lines = [line, ...entries.map(([name, value]) => `${name}: ${value}`), '', ''];
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), Buffer.from(after)]);
}

describe('Malformed frames', () => {
  it.each(['agent', 'visitor'])(
    'Each malformed frame closes its socket of /ws/%s with the protocol’s code and frees its descriptor',
    async route => {
      const before = descriptors();
      const ends: [string, number | null][] = [];
      for (const [name, frames] of BROKEN_FRAMES) {
        const socket = await RawSocket.open(
          url,
          `/ws/${route}?token=${route === 'agent' ? desk.token : conversation.token}`,
        );
        socket.write(...frames);
        await socket.until(() => socket.closeCode !== null, `a close after ${name}`, 10_000);
        ends.push([name, socket.closeCode]);
        socket.destroy();
      }
      expect(ends).toEqual(BROKEN_FRAMES.map(([name, , code]) => [name, code]));
      await eventually(() => (descriptors() <= before ? true : undefined));
    },
  );
});

describe('Malformed handshakes', () => {
  /** Name, bytes, and the expected status and error code. */
  const BROKEN: [string, () => Buffer | string, number, string][] = [
    ['no key', () => handshake({ 'Sec-WebSocket-Key': null }), 400, 'malformed_request'],
    ['an empty key', () => handshake({ 'Sec-WebSocket-Key': '' }), 400, 'malformed_request'],
    ['a key that is too short', () => handshake({ 'Sec-WebSocket-Key': 'c2hvcnQ=' }), 400, 'malformed_request'],
    [
      'two keys',
      () =>
        handshake({ 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' }),
      400,
      'malformed_request',
    ],
    ['version 12', () => handshake({ 'Sec-WebSocket-Version': '12' }), 400, 'malformed_request'],
    ['no version', () => handshake({ 'Sec-WebSocket-Version': null }), 400, 'malformed_request'],
    ['two versions', () => handshake({ 'Sec-WebSocket-Version': '13, 8' }), 400, 'malformed_request'],
    ['a POST', () => handshake({ 'Content-Length': '0' }, `POST ${path} HTTP/1.1`), 400, 'malformed_request'],
    [
      'a POST with a body',
      () => handshake({ 'Content-Length': '4' }, `POST ${path} HTTP/1.1`, 'body'),
      400,
      'malformed_request',
    ],
    ['a garbled protocol', () => handshake({ 'Sec-WebSocket-Protocol': 'a,,b' }), 400, 'malformed_request'],
    ['no Connection', () => handshake({ Connection: 'close' }), 404, 'not_found'],
    [
      'h2c',
      () => handshake({ Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAAQAAP__', Connection: 'Upgrade, HTTP2-Settings' }),
      404,
      'not_found',
    ],
    ['HTTP/2 at once', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'malformed_request'],
    ['TLS', () => Buffer.from('16030100c8010000c40303', 'hex'), 400, 'malformed_request'],
    ['another path', () => handshake({}, 'GET /ws/nowhere HTTP/1.1'), 404, 'not_found'],
    [
      'an absolute URL as its path',
      () => handshake({}, `GET http://localhost${path} HTTP/1.1`),
      400,
      'malformed_request',
    ],
    ['an asterisk', () => handshake({}, 'GET * HTTP/1.1'), 400, 'malformed_request'],
    ['no token', () => handshake({}, 'GET /ws/agent HTTP/1.1'), 401, 'unauthenticated'],
    [
      'a token of 8 KiB',
      () => handshake({}, `GET /ws/agent?token=${'x'.repeat(8_192)} HTTP/1.1`),
      401,
      'invalid_token',
    ],
    ['a token that is not UTF-8', () => handshake({}, 'GET /ws/agent?token=%ff%fe%00 HTTP/1.1'), 401, 'invalid_token'],
    ['a room of a zero byte', () => handshake({}, `GET ${path}&room=%00 HTTP/1.1`), 404, 'not_found'],
    ['a header bomb', () => handshake({ 'X-Bomb': 'x'.repeat(20_000) }), 400, 'malformed_request'],
    [
      'many headers',
      () => handshake(Object.fromEntries(Array.from({ length: 3_000 }, (_none, index) => [`X-${index}`, '1']))),
      400,
      'malformed_request',
    ],
    ['a line that never ends', () => `GET ${'/'.repeat(70_000)}`, 400, 'malformed_request'],
    ['a header without a name', () => handshake({ '': 'nameless' }), 400, 'malformed_request'],
    ['a zero in a header', () => handshake({ 'X-Zero': 'a\0b' }), 400, 'malformed_request'],
    ['a folded header', () => handshake({ 'X-Folded': 'a\r\n b' }), 400, 'malformed_request'],
    [
      'two Content-Lengths',
      () => handshake({ 'Content-Length': '3', 'content-length': '4' }),
      400,
      'malformed_request',
    ],
    [
      'a Content-Length and chunks',
      () => handshake({ 'Content-Length': '3', 'Transfer-Encoding': 'chunked' }),
      400,
      'malformed_request',
    ],
    ['two hosts', () => handshake({ host: 'elsewhere' }), 400, 'malformed_request'],
    ['no host', () => handshake({ Host: null }), 400, 'malformed_request'],
    ['HTTP/1.0', () => handshake({}, `GET ${path} HTTP/1.0`), 400, 'malformed_request'],
    ['HTTP/1.2', () => handshake({}, `GET ${path} HTTP/1.2`), 400, 'malformed_request'],
    ['an unknown method', () => handshake({}, `OPEN ${path} HTTP/1.1`), 400, 'malformed_request'],
  ];

  it('Each malformed handshake is refused in the error envelope and its connection is closed', async () => {
    const before = descriptors();
    const answers: [string, number, string | undefined][] = [];
    for (const [name, bytes] of BROKEN) {
      const response = await rawBytes(url, bytes()).catch((error: Error) => error.message);
      answers.push([
        name,
        Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1]),
        /"code":"(\w+)"/.exec(response)?.[1] ?? response.slice(0, 300),
      ]);
    }
    expect(answers).toEqual(BROKEN.map(([name, , status, code]) => [name, status, code]));
    await eventually(() => (descriptors() <= before ? true : undefined));
  });

  it('A handshake of another WebSocket version is answered with the supported version', async () => {
    const response = await rawBytes(url, handshake({ 'Sec-WebSocket-Version': '7' }));
    expect(response).toMatch(/^HTTP\/1\.1 400 [^]*\r\nSec-WebSocket-Version: 13\r\n/);
  });

  it('A handshake sent byte by byte is served and does not delay others', async () => {
    const crawling = race(5, async () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1').setNoDelay(true);
      let response = '';
      socket.on('data', chunk => (response += chunk.toString('latin1')));
      for (const byte of handshake({}, undefined, PING)) {
        socket.write(Buffer.from([byte]));
        await new Promise(resolve => setTimeout(resolve, 2));
      }
      await eventually(() => (response.includes('"pong"') ? true : undefined));
      socket.destroy();
      return response.slice(0, 12);
    });
    const meanwhile = await RawSocket.open(url, path);
    expect(await meanwhile.fate()).toBe('open');
    meanwhile.destroy();
    expect(await crawling).toEqual(Array(5).fill('HTTP/1.1 101'));
  });

  it('Of bytes behind a handshake in one packet, a frame is handled and a second request is refused with 1002', async () => {
    const withFrame = await rawBytes(url, handshake({}, undefined, PING), response => response.includes('"pong"'));
    expect(withFrame.indexOf('"connected"')).toBeLessThan(withFrame.indexOf('"pong"'));
    const withRequest = await rawBytes(url, Buffer.concat([handshake(), handshake()]), response =>
      response.includes('\x03\xea'),
    );
    expect(withRequest.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(withRequest).toContain('\x88\x02\x03\xea'); // closed with 1002
  });

  it('Hundreds of unfinished handshakes leave no open descriptor once their connections are closed', async () => {
    const before = descriptors();
    const begun = Array.from({ length: 120 }, (_nothing, index) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
      // Cut off within the head, at its end, and nine within a frame.
      const bytes = handshake({}, undefined, PING);
      const ends = [bytes.length - 10, 40, bytes.length - PING.length - 2];
      socket.write(bytes.subarray(0, ends[index < 9 ? 0 : 1 + (index % 2)]));
      return socket;
    });
    await eventually(() => (descriptors() >= before + 100 ? true : undefined), 20_000);
    for (const [index, socket] of begun.entries()) {
      if (index % 2) socket.resetAndDestroy();
      else socket.end();
    }
    await eventually(() => (descriptors() <= before ? true : undefined), 20_000);
  });
});
