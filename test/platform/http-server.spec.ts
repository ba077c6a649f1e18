import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import type { Application, ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import type { DomainError } from '../../src/kernel/domain-error.js';
import type { ExpressPrototypes } from '../../src/platform/http/express-classes.js';
import { expressClasses } from '../../src/platform/http/express-classes.js';
import { matchFirst } from '../../src/platform/http/frequent-routes.js';
import { fixedHeaders } from '../../src/platform/http/fixed-headers.js';
import { sequentially } from '../../src/platform/http/sequentially.js';
import { answerJson } from '../../src/platform/http/json-answer.js';
import { JSON_BODY_BYTES, readJsonBody } from '../../src/platform/http/json-body.js';
import { RequestBodiesService } from '../../src/platform/http/request-bodies.service.js';
import { eventually } from '../support/eventually.js';
import { closeRawConnections, rawRequest } from '../support/raw-http.js';

type App = Application & ExpressPrototypes;

const MAX_BYTES = JSON_BODY_BYTES.authenticated;

const servers: Server[] = [];

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterAll(async () => {
  closeRawConnections();
  for (const server of servers) server.closeAllConnections();
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))));
});

function app(): App {
  return express().disable('x-powered-by').disable('etag') as unknown as App;
}

describe('Express prototypes of requests and responses', () => {
  /** Prototypes of request and response before express handles them, and after. */
  async function prototypesOf(made: App, server: Server): Promise<object[]> {
    const seen: object[] = [];
    const record = (request: IncomingMessage, response: ServerResponse) =>
      seen.push(Object.getPrototypeOf(request) as object, Object.getPrototypeOf(response) as object);
    server.prependListener('request', record);
    made.use((request, response) => {
      record(request, response);
      response.send(request.ip);
    });
    const base = await listen(server);
    expect((await rawRequest(base, { method: 'GET', path: '/', headers: {}, body: null })).text).toBe('127.0.0.1');
    return seen;
  }

  it("Plain requests get express's prototypes on arrival, which is what makes express slow.", async () => {
    const made = app();
    const [request, response, ...then] = await prototypesOf(made, createServer(made));
    expect(request).not.toBe(made.request);
    expect(response).not.toBe(made.response);
    expect(then).toEqual([made.request, made.response]);
    expect(then[0]).toBe(made.request);
    expect(then[1]).toBe(made.response);
  });

  it("Requests of `expressClasses` have express's prototypes from construction and keep them.", async () => {
    const made = app();
    const server = createServer(expressClasses(made), made);
    const seen = await prototypesOf(made, server);
    expect(seen.length).toBe(4);
    for (const [index, prototype] of seen.entries()) {
      expect(prototype === (index % 2 === 0 ? made.request : made.response)).toBe(true);
    }
  });
});

describe('JSON responses', () => {
  let base: string;
  beforeAll(async () => {
    const made = app();
    const answer = (request: Request, response: Response, send: (body: object) => unknown) => {
      response.status(Number(request.query.status ?? 200));
      if (request.query.type !== undefined) response.type(String(request.query.type));
      send({ text: 'ä \u2028 💩', list: [1, null], none: undefined, at: new Date(0) });
    };
    made.use('/express', (request, response) => answer(request, response, body => response.json(body)));
    made.use('/ours', (request, response) => answer(request, response, body => answerJson(response, body)));
    base = await listen(createServer(made));
  });

  it.each([
    ['GET', '', {}],
    ['POST', '?status=201', {}],
    ['GET', '?status=404', {}],
    ['GET', '?status=204', {}],
    ['GET', '?status=205', {}],
    ['GET', '?status=304', {}],
    ['HEAD', '', {}],
    ['GET', '', { 'If-None-Match': '*' }],
    ['GET', '', { 'If-None-Match': '"x"' }],
    ['GET', '', { 'If-Modified-Since': 'Thu, 01 Jan 2026 00:00:00 GMT' }],
    ['GET', '?type=text/plain', {}],
    ['GET', '?type=application/problem%2Bjson', {}],
  ])('`answerJson` sends the same bytes as express: %s %s %p', async (method, query, headers) => {
    const [theirs, ours] = await Promise.all(
      ['express', 'ours'].map(how => rawRequest(base, { method, path: `/${how}${query}`, headers, body: null })),
    );
    for (const answer of [theirs, ours]) delete answer?.headers.date;
    expect(ours).toEqual(theirs);
    expect(ours?.headers['content-length']).toBe(theirs?.headers['content-length']);
  });
});

describe('Headers that every response shares', () => {
  const sent = async (...handlers: RequestHandler[]) => {
    const made = app().use(...handlers, (_request: Request, response: Response) => void response.json({}));
    const base = await listen(createServer(made));
    const { date: _date, ...headers } = (
      await rawRequest(base, { method: 'GET', path: '/', headers: { 'X-Asked': 'yes' }, body: null })
    ).headers;
    return headers;
  };

  it('`fixedHeaders` sets the same headers as helmet.', async () => {
    const theirs = await sent(helmet());
    expect(Object.keys(theirs).length).toBeGreaterThan(12);
    expect(theirs['content-security-policy']).toContain("default-src 'self'");
    expect(await sent(fixedHeaders(helmet()))).toEqual(theirs);
  });

  it.each<[string, RequestHandler]>([
    ['reads the request', (request, response, next) => next(response.setHeader('X-Is', request.get('X-Asked') ?? ''))],
    ['sets a status too', (_request, response, next) => next(void response.status(200).set('X-Is', 'more'))],
    [
      'finishes asynchronously',
      (_request, response, next) => setImmediate(() => next(void response.setHeader('X-Is', 'late'))),
    ],
  ])('`fixedHeaders` returns a middleware unchanged that %s.', async (_case, handler) => {
    expect(fixedHeaders(handler)).toBe(handler);
  });

  it('`sequentially` runs its middleware in order until one fails or responds.', async () => {
    const seen: string[] = [];
    const step =
      (name: string): RequestHandler =>
      (_request, _response, next) =>
        next(void seen.push(name));
    const answer: RequestHandler = (_request, response) => void response.json({});
    await sent(sequentially(step('a'), sequentially(), step('b')), step('c'));
    await sent(sequentially(step('d'), answer, step('never')), step('nor'));
    const refuse: RequestHandler = (_request, _response, next) => next(new Error('no'));
    const caught: ErrorRequestHandler = (error: Error, _request, response, _next) =>
      void response.json(seen.push(error.message));
    await sent(sequentially(step('e'), refuse, step('never')), step('nor'), caught as unknown as RequestHandler);
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e', 'no']);
  });
});

describe('Frequent routes', () => {
  it('Their paths are matched before all others and behind all middleware, and the others keep their order.', async () => {
    const routed = app();
    routed.use((_request, response, next) => {
      response.setHeader('X-Middleware', 'ran');
      next();
    });
    for (const path of ['/a/:id', '/a/b', '/c', '/:any']) {
      routed.get(path, (_request, response) => void response.send(path));
    }
    matchFirst(routed, ['/c', '/a/b']);
    const base = await listen(createServer(routed));
    const answers = await Promise.all(
      ['/a/b', '/a/x', '/c', '/d'].map(async path => {
        const answer = await fetch(`${base}${path}`);
        return [answer.headers.get('x-middleware'), await answer.text()];
      }),
    );
    expect(answers).toEqual([
      ['ran', '/a/b'],
      ['ran', '/a/:id'],
      ['ran', '/c'],
      ['ran', '/:any'],
    ]);
  });

  it('A frequent path that has no route stops the start.', () => {
    expect(() => matchFirst(app(), ['/a'])).toThrow('there is no route for /a');
  });
});

describe('JSON request bodies', () => {
  let base: string;
  let server: Server;
  /** Number of requests that reached the handler. */
  let calls: number;
  beforeAll(async () => {
    const made = app();
    const refuse: ErrorRequestHandler = (error: DomainError, _request, response, _next) =>
      void response.status(400).json({ refused: error.code });
    const bodies = new RequestBodiesService();
    made.use((request: Request, _response: Response, next: NextFunction) => {
      readJsonBody(bodies, request, MAX_BYTES).then(body => {
        request.body = body;
        next();
      }, next);
    });
    made.use((request: Request, response: Response) => {
      calls += 1;
      if (request.path !== '/silent') response.json({ body: request.body as object });
    });
    made.use(refuse);
    server = createServer(expressClasses(made), made);
    base = await listen(server);
  });

  const bodies: [string, Buffer | string][] = [
    ['an object', '{"a":"ä💩","b":[1,2.5,-0,1e400],"c":{"__proto__":1}}'],
    ['only spaces', '   '],
    ['a byte order mark', Buffer.from('\ufeff{"a":1}')],
    ['two byte order marks', Buffer.from('\ufeff\ufeff{"a":1}')],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xc3, 0xe2, 0x82, 0x22, 0x7d])],
    ['half a surrogate pair', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d])],
    ['a broken object', '{"a":'],
    ['two objects', '{}{}'],
    ['an array', '[]'],
    ['a string', '"x"'],
    ['null', 'null'],
    ['the maximum size', `{"a":"${'x'.repeat(MAX_BYTES - 8)}"}`],
    ['one byte more', `{"a":"${'x'.repeat(MAX_BYTES - 7)}"}`],
    ['thirty-two levels', `${'{"a":'.repeat(32)}1${'}'.repeat(32)}`],
    ['thirty-three', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`],
    ['ten thousand values', `{"a":[${Array(9_999).fill(0).join()}]}`],
    ['one value more', `{"a":[${Array(10_000).fill(0).join()}]}`],
  ];

  it.each(bodies)('`readJsonBody` reads the same as body-parser: %s', async (_case, body) => {
    const read = async (headers: Record<string, string>) => {
      const answer = await rawRequest(base, { method: 'POST', path: '/', headers, body: Buffer.from(body) });
      return [answer.status, answer.text];
    };
    // A Content-Encoding header, even identity, or a quoted charset makes body-parser read the body.
    const theirs = await read({ 'Content-Type': 'application/json', 'Content-Encoding': 'identity' });
    expect(await read({ 'Content-Type': 'application/json' })).toEqual(theirs);
    expect(await read({ 'Content-Type': 'Application/JSON; charset=UTF-8' })).toEqual(theirs);
    expect(await read({ 'Content-Type': 'application/json;charset="utf-8"' })).toEqual(theirs);
  });

  const head = (path: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

  /** A connection, and a promise of the server seeing its end. */
  async function connection(): Promise<{ socket: Socket; ended: Promise<unknown> }> {
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const socket = connect(Number(new URL(base).port), '127.0.0.1').setNoDelay(true);
    const [theirs] = await accepted;
    return { socket, ended: new Promise(resolve => theirs.once('close', resolve)) };
  }

  it('A body in several packets, split inside a character, is read as one.', async () => {
    const { socket } = await connection();
    const bytes = Buffer.from(`${head('/', 10)}{"a":"ä"}`);
    const parts = [bytes.subarray(0, -9), bytes.subarray(-9, -3), bytes.subarray(-3)];
    const received = once(server, 'request');
    socket.write(parts[0] ?? '');
    const [request] = (await received) as [Request];
    for (const part of parts.slice(1)) {
      const came = once(request, 'data');
      socket.write(part);
      expect(await came).toEqual([part]);
    }
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toContain('{"body":{"a":"ä"}}');
    socket.destroy();
  });

  it('A request whose client disconnects inside the body reaches no handler.', async () => {
    calls = 0;
    const { socket, ended } = await connection();
    const received = once(server, 'request');
    socket.write(`${head('/silent', 20)}{"a":`);
    await received;
    socket.destroy();
    await ended;
    expect(calls).toBe(0);
  });

  it('A request whose client disconnects after the body reaches the handler once.', async () => {
    calls = 0;
    const { socket, ended } = await connection();
    socket.write(`${head('/silent', 7)}{"a":1}`);
    await eventually(() => calls === 1 || undefined);
    socket.destroy();
    await ended;
    expect(calls).toBe(1);
  });
});
