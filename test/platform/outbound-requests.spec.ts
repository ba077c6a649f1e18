import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import type { AddressPolicy } from '../../src/platform/outbound/address.policy.js';
import { OutboundLimitsPolicy } from '../../src/platform/outbound/outbound-limits.policy.js';
import type { OutboundRequest } from '../../src/platform/outbound/outbound-requests.service.js';
import {
  AnswerTooLarge,
  EndpointUnreachable,
  OutboundStopped,
} from '../../src/platform/outbound/outbound-requests.service.js';
import { readEventStream } from '../../src/platform/outbound/event-stream.js';
import { newSigningSecret } from '../../src/platform/outbound/signing-secret.js';
import { Endpoint } from '../support/endpoint.js';
import { eventually } from '../support/eventually.js';
import type { Sender } from '../support/outbound.js';
import { LOOPBACK, policyOf, PRODUCTION, senderOf, StubResolver } from '../support/outbound.js';
import { CERTIFICATE } from '../support/self-signed.js';
import { StillClock } from '../support/still-clock.js';

const SHORT = { answerMs: 150, gapMs: 150, idleMs: 150, stopMs: 50 };

beforeAll(() => Logger.overrideLogger(false));

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

function sender(...parameters: Parameters<typeof senderOf>): Sender {
  const made = senderOf(...parameters);
  stops.push(() => made.requests.onApplicationShutdown());
  return made;
}

async function endpoint(listener: RequestListener): Promise<Endpoint> {
  return stoppedAfterTest(await Endpoint.http(listener));
}

async function raw(...parameters: Parameters<typeof Endpoint.raw>): Promise<Endpoint> {
  return stoppedAfterTest(await Endpoint.raw(...parameters));
}

function stoppedAfterTest(made: Endpoint): Endpoint {
  stops.push(() => made.stop());
  return made;
}

function requestTo(url: string, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return { url, workspaceId: 'w', id: 'evt_1', secrets: [newSigningSecret()], body: '{"a":1}', ...more };
}

/** Status of the answer, or the cause's code or message of an endpoint that is not reachable. */
async function outcome({ requests }: Sender, request: OutboundRequest): Promise<unknown> {
  try {
    return (await requests.post(request)).status;
  } catch (error) {
    expect(error).toBeInstanceOf(EndpointUnreachable);
    const { code, message, cause } = error as EndpointUnreachable & { cause: NodeJS.ErrnoException };
    expect([code, message]).toEqual(['endpoint_unreachable', 'The endpoint could not be reached.']);
    return cause.code ?? cause.message;
  }
}

describe('What a request sends', () => {
  /** Records one request. */
  async function recorded(): Promise<{
    url: string;
    headers: IncomingHttpHeaders;
    body: () => string;
    path: () => string;
  }> {
    const headers: IncomingHttpHeaders = {};
    let [body, path] = ['', ''];
    const made = await endpoint((incoming, outgoing) => {
      Object.assign(headers, incoming.headers);
      path = `${incoming.method} ${incoming.url}`;
      incoming.on('data', chunk => (body += String(chunk)));
      incoming.on('end', () => outgoing.end());
    });
    return { url: made.url('127.0.0.1', '/hook/%C3%BC?x=1#fragment'), headers, body: () => body, path: () => path };
  }

  it('A request is a POST of JSON with a user agent, and asks for an answer that is not compressed.', async () => {
    const { url, headers, body, path } = await recorded();
    await sender().requests.post(requestTo(url, { body: '{"a":"ü"}' }));
    expect([path(), body()]).toEqual(['POST /hook/%C3%BC?x=1', '{"a":"ü"}']);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': '10',
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'support-chat/1',
    });
  });

  it('A request for a stream accepts JSON and an event stream.', async () => {
    const { url, headers } = await recorded();
    await sender().requests.stream(requestTo(url), () => Promise.resolve());
    expect(headers.accept).toBe('application/json, text/event-stream');
  });

  it('A receiver verifies the signature by each of two secrets, and by no other one.', async () => {
    const { url, headers, body } = await recorded();
    const secrets = [newSigningSecret(), newSigningSecret()];
    await sender().requests.post(requestTo(url, { secrets, body: '{"a":"ü"}' }));
    const received = headers as Record<string, string>;
    for (const secret of secrets) expect(new Webhook(secret).verify(body(), received)).toEqual({ a: 'ü' });
    expect(received['webhook-id']).toBe('evt_1');
    expect(received['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
    expect(() => new Webhook(newSigningSecret()).verify(body(), received)).toThrow('No matching signature');
    expect(() => new Webhook(secrets[0] ?? '').verify(`${body()} `, received)).toThrow('No matching signature');
  });

  it("The signed time is the clock's, so a receiver refuses a request that is recorded and sent again later.", async () => {
    const { url, headers, body } = await recorded();
    const clock = new StillClock();
    const at = clock.stop(new Date(Date.now() - 3_600_000));
    const secret = newSigningSecret();
    await sender({}, policyOf(LOOPBACK), clock).requests.post(requestTo(url, { secrets: [secret] }));
    const received = headers as Record<string, string>;
    expect(received['webhook-timestamp']).toBe(String(Math.floor(at.getTime() / 1_000)));
    expect(() => new Webhook(secret).verify(body(), received)).toThrow('too old');
  });

  it('A request with a malformed secret fails without a connection, and its error does not contain the secret.', async () => {
    const made = await endpoint((_incoming, outgoing) => outgoing.end());
    const secret = 'whsec_not base64!';
    const error: unknown = await sender()
      .requests.post(requestTo(made.url(), { secrets: [secret] }))
      .catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(EndpointUnreachable);
    expect(String(error)).not.toContain('not base64');
    expect(made.accepted).toBe(0);
  });
});

describe('The answer of an endpoint', () => {
  it.each([200, 204, 301, 302, 307, 400, 410, 429, 500, 503])(
    'A status is returned as it is, and a redirect is not followed (%i).',
    async status => {
      let received = 0;
      const made = await endpoint((incoming, outgoing) => {
        received += 1;
        outgoing.writeHead(status, { Location: `http://${incoming.headers.host}/elsewhere` }).end();
      });
      expect(await outcome(sender(), requestTo(made.url()))).toBe(status);
      expect(received).toBe(1);
    },
  );

  it('The beginning of the body is kept as text: 1 KiB, without half a character at its end.', async () => {
    const bodies: [Buffer | string, string][] = [
      ['', ''],
      ['ok', 'ok'],
      ['x'.repeat(1024), 'x'.repeat(1024)],
      ['x'.repeat(1025), 'x'.repeat(1024)],
      [`${'x'.repeat(1023)}üy`, 'x'.repeat(1023)],
      [`${'x'.repeat(1022)}🙂`, 'x'.repeat(1022)],
      [`${'x'.repeat(1020)}🙂y`, `${'x'.repeat(1020)}🙂`],
      [Buffer.from([0x61, 0xff, 0x00, 0x62, 0xf0, 0x9f]), 'a\uFFFD\uFFFDb\uFFFD'],
    ];
    let body: Buffer | string = '';
    const made = await endpoint((_incoming, outgoing) => outgoing.end(body));
    const { requests } = sender();
    for (const [sent, kept] of bodies) {
      body = sent;
      expect((await requests.post(requestTo(made.url()))).body).toBe(kept);
    }
  });

  it('An answer of 10 MB is cut and its status counts.', async () => {
    let written = 0;
    const made = await endpoint((_incoming, outgoing) => {
      const write = (): void => {
        while (written < 10_000_000 && !outgoing.destroyed) {
          written += 16_384;
          if (!outgoing.write('x'.repeat(16_384))) return void outgoing.once('drain', write);
        }
        outgoing.end();
      };
      write();
    });
    const answer = await sender().requests.post(requestTo(made.url()));
    expect([answer.status, answer.body]).toEqual([200, 'x'.repeat(1024)]);
    await made.connections(0);
    expect(written).toBeLessThan(10_000_000);
  });

  it('A compressed answer is not decompressed.', async () => {
    const bytes = Buffer.from('1f8b0800000000000003cb00', 'hex');
    const made = await endpoint((_incoming, outgoing) => {
      outgoing.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bytes);
    });
    const { body } = await sender().requests.post(requestTo(made.url()));
    expect(body).toBe(new TextDecoder().decode(bytes).replaceAll('\0', '\uFFFD'));
  });

  it('An answer in HTTP/1.0 ends with its connection.', async () => {
    const made = await raw(socket => socket.end('HTTP/1.0 202 Accepted\r\n\r\nthanks'));
    expect(await sender().requests.post(requestTo(made.url()))).toMatchObject({ status: 202, body: 'thanks' });
  });

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['HTTP/0.9', '<html>hello</html>'],
    ['a malformed status', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a malformed header', 'HTTP/1.1 200 OK\r\nno colon\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['malformed chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n'],
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n'],
    ['headers above 16 KiB', `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`],
    ['many headers', `HTTP/1.1 200 OK\r\n${'X-Many: y\r\n'.repeat(4_000)}\r\n`],
    ['an end before the head', ''],
    ['an end in the head', 'HTTP/1.1 200 OK\r\nContent-'],
    ['an end in the body', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'],
    ['an end in a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf'],
  ])('An answer that is broken counts as unreachable: %s.', async (_case, bytes) => {
    const made = await raw(socket => socket.end(bytes));
    expect(await outcome(sender(), requestTo(made.url()))).toEqual(expect.any(String));
    await made.connections(0);
  });

  it('An interim answer before the answer is skipped.', async () => {
    const made = await raw(socket =>
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
    );
    expect(await sender().requests.post(requestTo(made.url()))).toMatchObject({ status: 200, body: 'ok' });
  });

  it('Bytes after the answer do not become the answer to the next request.', async () => {
    const answer = (text: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
    let count = 0;
    const made = await raw(socket => {
      count += 1;
      socket.write(count === 1 ? answer('one') + answer('forged') : answer('two'));
    });
    const { requests } = sender();
    expect((await requests.post(requestTo(made.url()))).body).toBe('one');
    expect((await requests.post(requestTo(made.url()))).body).toBe('two');
  });
});

describe('Retry-After', () => {
  const DAY = 24 * 3_600_000;
  it.each([
    ['0', 0],
    ['7', 7_000],
    [' 120 ', 120_000],
    ['86401', DAY],
    ['9'.repeat(400), DAY],
    ['Tue, 24 Nov 2026 09:00:30 GMT', 30_000],
    ['Tuesday, 24-Nov-26 09:00:30 GMT', 30_000],
    ['Tue Nov 24 09:00:30 2026', 30_000],
    ['Fri, 01 Jan 2100 00:00:00 GMT', DAY],
    ['Tue, 24 Nov 2026 08:00:00 GMT', 0],
    ['-5', null],
    ['1.5', null],
    ['1e3', null],
    ['0x10', null],
    ['Infinity', null],
    ['soon', null],
    ['2026-11-24T09:00:30Z', null],
    ['Tue, 99 Nov 2026 09:00:30 GMT', null],
    ['', null],
  ])('Retry-After is read as seconds or an HTTP date, up to a day: %j.', async (header, expected) => {
    const clock = new StillClock();
    clock.stop(new Date('2026-11-24T09:00:00Z'));
    const made = await raw(socket =>
      socket.write(`HTTP/1.1 429 Slow\r\nRetry-After: ${header}\r\nContent-Length: 0\r\n\r\n`),
    );
    const { requests } = sender({}, policyOf(LOOPBACK), clock);
    expect((await requests.post(requestTo(made.url()))).retryAfterMs).toBe(expected);
  });

  it('Of two Retry-After headers the first one counts.', async () => {
    const made = await raw(socket =>
      socket.write('HTTP/1.1 503 No\r\nRetry-After: 3\r\nRetry-After: 9\r\nContent-Length: 0\r\n\r\n'),
    );
    expect((await sender().requests.post(requestTo(made.url()))).retryAfterMs).toBe(3_000);
  });
});

describe('An endpoint that may not be called', () => {
  async function refusals(policy: AddressPolicy, urls: string[]): Promise<void> {
    const refusing = sender({}, policy);
    for (const url of urls) {
      expect([url, await outcome(refusing, requestTo(url))]).toEqual([url, 'ADDRESS_NOT_ALLOWED']);
    }
  }

  it('A private address is not called, in whatever form it is written.', async () => {
    const made = await endpoint((_incoming, outgoing) => outgoing.end());
    const names = new StubResolver({ localhost: [['127.0.0.1']], 'localhost.': [['127.0.0.1']] });
    const hosts = [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0.0.0.0',
      '[::]',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
    ];
    await refusals(
      policyOf({}, names),
      [...hosts, 'localhost', 'localhost.'].map(host => made.url(host)),
    );
    expect(made.accepted).toBe(0);
  });

  it('A name that moves to a private address after its check is not called.', async () => {
    const made = await endpoint((_incoming, outgoing) => outgoing.end());
    const policy = policyOf({}, new StubResolver({ 'rebound.shop.example': [['93.184.215.14'], ['127.0.0.1']] }));
    const url = made.url('rebound.shop.example');
    await policy.assertCallable(url, 'url');
    await refusals(policy, [url]);
    expect(made.accepted).toBe(0);
  });

  it('A name is resolved again for each connection, also after it was called.', async () => {
    const made = await endpoint((_incoming, outgoing) => outgoing.writeHead(200, { Connection: 'close' }).end());
    const names = new StubResolver({ 'rebound.internal': [['127.0.0.1'], ['10.0.0.1']] });
    const calling = sender({}, policyOf(LOOPBACK, names));
    const url = made.url('rebound.internal');
    expect(await outcome(calling, requestTo(url))).toBe(200);
    expect(await outcome(calling, requestTo(url))).toBe('ADDRESS_NOT_ALLOWED');
  });

  it('A URL with a user name or password, or of another scheme, is not called.', async () => {
    const made = await endpoint((_incoming, outgoing) => outgoing.end());
    const schemes = ['ftp', 'ws', 'gopher'].map(scheme => made.url().replace('http', scheme));
    const opaque = ['file:///etc/passwd', 'data:text/plain,x', 'javascript:alert(1)'];
    await refusals(policyOf(LOOPBACK), [
      made.url('me:secret@127.0.0.1'),
      made.url('me@127.0.0.1'),
      ...schemes,
      ...opaque,
    ]);
    expect(await outcome(sender(), requestTo('no URL'))).toBe('ERR_INVALID_URL');
    expect(made.accepted).toBe(0);
  });

  it('In production neither http nor a low port is called, even if it was saved before.', async () => {
    const policy = policyOf({ ...PRODUCTION, ...LOOPBACK });
    await refusals(policy, ['http://127.0.0.1/', 'https://127.0.0.1:22/', 'https://127.0.0.1:25/']);
    expect(await outcome(sender({}, policy), requestTo('https://127.0.0.1:1024/'))).toBe('ECONNREFUSED');
  });

  it('A closed port and an unknown name are unreachable.', async () => {
    const made = await Endpoint.http(() => undefined);
    const url = made.url();
    await made.stop();
    expect(await outcome(sender(), requestTo(url))).toBe('ECONNREFUSED');
    expect(await outcome(sender(), requestTo('http://nowhere.shop.example/'))).toBe('ENOTFOUND');
  });

  it('Proxy variables of the environment have no effect.', async () => {
    const proxy = await endpoint((_incoming, outgoing) => outgoing.end());
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY']) process.env[name] = proxy.url();
    process.env.NODE_USE_ENV_PROXY = '1';
    const made = await endpoint((_incoming, outgoing) => outgoing.writeHead(202).end());
    expect(await outcome(sender(), requestTo(made.url()))).toBe(202);
    expect(proxy.accepted).toBe(0);
  });
});

describe('The time limits of a request', () => {
  it('The limits are 15 s to the answer, 15 s between bytes, 4 s for an unused connection and 5 s at a stop.', () => {
    const { answerMs, gapMs, idleMs, stopMs, answerBytes, keptBytes } = new OutboundLimitsPolicy();
    expect([answerMs, gapMs, idleMs, stopMs]).toEqual([15_000, 15_000, 4_000, 5_000]);
    expect([answerBytes, keptBytes]).toEqual([256 * 1024, 1024]);
  });

  it('The limits are 10 requests to a host, 40 of a workspace and 256 of an instance.', () => {
    const { perHost, perWorkspace, perInstance } = new OutboundLimitsPolicy();
    expect([perHost, perWorkspace, perInstance]).toEqual([10, 40, 256]);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['before the head', () => undefined],
    ['in the head', socket => socket.write('HTTP/1.1 200 OK\r\n')],
    ['in the body', socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')],
  ])('An endpoint that hangs %s is unreachable, and its connection is closed.', async (_where, answer) => {
    const made = await raw(answer);
    expect(await outcome(sender(SHORT), requestTo(made.url()))).toBe('no answer within 150 ms');
    await made.connections(0);
  });

  it.each(['', 'HTTP/1.1 200 OK\r\nX-Slow: ', 'HTTP/1.1 200 OK\r\n\r\n', 'HTTP/1.1 103 Hints\r\n\r\n'])(
    'An endpoint that sends a byte now and then is unreachable after the same time (after %j).',
    async beginning => {
      const made = await raw(socket => {
        socket.write(beginning);
        const drip = setInterval(() => socket.write(beginning.includes('103') ? beginning : 'H'), 20);
        socket.on('close', () => clearInterval(drip));
      });
      expect(await outcome(sender(SHORT), requestTo(made.url()))).toEqual(
        expect.stringMatching(/no answer|does not match/),
      );
      await made.connections(0);
    },
  );

  it('A name that is not resolved in time is unreachable.', async () => {
    class Silent extends StubResolver {
      override resolve(): Promise<never> {
        return new Promise(() => undefined);
      }
    }
    const slow = sender(SHORT, policyOf(LOOPBACK, new Silent()));
    expect(await outcome(slow, requestTo('http://slow.shop.example/'))).toBe('no answer within 150 ms');
  });

  it('A server that accepts a connection and never begins TLS is unreachable, and its connection is closed.', async () => {
    const made = await raw(() => undefined);
    expect(await outcome(sender(SHORT), requestTo(made.url().replace('http', 'https')))).toBe(
      'no answer within 150 ms',
    );
    await made.connections(0);
  });
});

describe('A request that its caller ends', () => {
  it('An abort closes the connection at once, and the caller gets its reason.', async () => {
    for (const answer of ['', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\n\r\nhalf']) {
      const arrived = new AbortController();
      const made = await raw(socket => {
        socket.write(answer);
        arrived.abort();
      });
      const abort = new AbortController();
      const { requests } = sender();
      const sent = requests.post(requestTo(made.url(), { signal: abort.signal }));
      arrived.signal.addEventListener('abort', () => abort.abort(new Error('taken over')));
      await expect(sent).rejects.toThrow('taken over');
      await made.connections(0);
    }
  });

  it('A request whose signal was aborted before is not sent.', async () => {
    const made = await endpoint((_incoming, outgoing) => outgoing.end());
    const sent = sender().requests.post(requestTo(made.url(), { signal: AbortSignal.abort(new Error('late')) }));
    await expect(sent).rejects.toThrow('late');
    expect(made.accepted).toBe(0);
  });

  it('An abort also ends a request that waits for its turn, and one that connects.', async () => {
    const made = await endpoint(() => undefined);
    const { requests, registry } = sender({ perHost: 1 });
    const first = new AbortController();
    const running = requests.post(requestTo(made.url(), { signal: first.signal }));
    const second = new AbortController();
    const waiting = requests.post(requestTo(made.url(), { signal: second.signal }));
    await made.connections(1);
    expect(await registry.metrics()).toContain('outbound_requests{state="waiting"} 1');
    second.abort(new Error('no longer'));
    await expect(waiting).rejects.toThrow('no longer');
    first.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    expect(made.accepted).toBe(1);
    const connecting = new AbortController();
    const third = requests.post(requestTo(made.url(), { signal: connecting.signal }));
    await Promise.resolve();
    connecting.abort(new Error('at once'));
    await expect(third).rejects.toThrow('at once');
    await made.connections(0);
  });

  it('A signal that many requests share keeps no listener of a request that has ended.', async () => {
    const made = await endpoint((_incoming, outgoing) => outgoing.end());
    const { signal } = new AbortController();
    const { requests } = sender();
    let listeners = 0;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...parameters: Parameters<typeof add>) => ((listeners += 1), add(...parameters));
    signal.removeEventListener = (...parameters: Parameters<typeof remove>) => (
      (listeners -= 1),
      remove(...parameters)
    );
    for (let n = 0; n < 3; n += 1) await requests.post(requestTo(made.url(), { signal }));
    expect(listeners).toBe(0);
  });
});

describe('Concurrent requests', () => {
  /** An endpoint that counts requests and answers them when told to. */
  async function pausing(): Promise<{ made: Endpoint; pending: () => number; answerAll: () => void }> {
    const answers = new Set<() => void>();
    const made = await endpoint((_incoming, outgoing) => answers.add(() => outgoing.end()));
    const answerAll = (): void => {
      for (const answer of answers) answer();
      answers.clear();
    };
    return { made, pending: () => answers.size, answerAll };
  }

  const names = (count: number) =>
    new StubResolver(Object.fromEntries(Array.from({ length: count }, (_, n) => [`h${n}.internal`, [['127.0.0.1']]])));

  it('A host gets at most 10 requests at a time, and the others follow.', async () => {
    const { made, pending, answerAll } = await pausing();
    const { requests } = sender();
    const sent = Array.from({ length: 25 }, (_, n) => requests.post(requestTo(made.url(), { workspaceId: `w${n}` })));
    for (const expected of [10, 10, 5]) {
      await eventually(() => (pending() === expected ? true : undefined));
      await new Promise(resolve => setImmediate(resolve));
      expect(pending()).toBe(expected);
      answerAll();
    }
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(25).fill(200));
    expect(made.accepted).toBeLessThanOrEqual(10);
  });

  it('A workspace has at most 40 requests at a time, and does not delay another one.', async () => {
    const { made, pending, answerAll } = await pausing();
    const { requests } = sender({}, policyOf(LOOPBACK, names(10)));
    const sent = Array.from({ length: 60 }, (_, n) => requests.post(requestTo(made.url(`h${n % 6}.internal`))));
    await eventually(() => (pending() === 40 ? true : undefined));
    const other = await endpoint((_incoming, outgoing) => outgoing.end());
    expect((await requests.post(requestTo(other.url(), { workspaceId: 'other' }))).status).toBe(200);
    expect(pending()).toBe(40);
    answerAll();
    await eventually(() => (pending() === 20 ? true : undefined));
    answerAll();
    await Promise.all(sent);
  });

  it('A dead host delays neither another workspace nor another host of its workspace.', async () => {
    const dead = await raw(() => undefined);
    const alive = await endpoint((_incoming, outgoing) => outgoing.end());
    const blocked = sender({ stopMs: 0 });
    const lost = Array.from({ length: 100 }, () => blocked.requests.post(requestTo(dead.url())).catch(String));
    await dead.connections(10);
    for (const workspaceId of ['w', 'other']) {
      expect((await blocked.requests.post(requestTo(alive.url(), { workspaceId }))).status).toBe(200);
    }
    await blocked.requests.onApplicationShutdown();
    await Promise.all(lost);
  });

  it('The wait for a turn does not count against the time limit.', async () => {
    let last: Promise<void> = Promise.resolve();
    const made = await endpoint((_incoming, outgoing) => {
      last = last.then(() => new Promise(resolve => setTimeout(resolve, 60))).then(() => void outgoing.end());
    });
    const { requests } = sender({ ...SHORT, perHost: 1 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => requests.post(requestTo(made.url()))));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(Math.max(...answers.map(({ latencyMs }) => latencyMs))).toBeLessThan(150);
  });

  it('Workspaces take turns at a host that all of them call.', async () => {
    const order: string[] = [];
    const made = await endpoint((incoming, outgoing) => {
      order.push(String(incoming.headers['webhook-id']));
      outgoing.end();
    });
    const { requests } = sender({ perHost: 1 });
    const send = (workspaceId: string) => requests.post(requestTo(made.url(), { workspaceId, id: workspaceId }));
    await Promise.all([...Array<string>(5).fill('a'), 'b', 'c', 'b'].map(send));
    expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a', 'a']);
  });
});

describe('Connections', () => {
  it('A connection serves the next request to its host, and is closed when it is unused.', async () => {
    const made = await endpoint((_incoming, outgoing) => outgoing.end('ok'));
    const { requests, connections } = sender(SHORT);
    for (let n = 0; n < 5; n += 1) await requests.post(requestTo(made.url()));
    expect([made.accepted, connections.idleCount]).toEqual([1, 1]);
    await made.connections(0);
    expect(connections.idleCount).toBe(0);
  });

  it('A connection has one listener for its end, however many requests it has served.', async () => {
    const made = await endpoint((_incoming, outgoing) => outgoing.end('ok'));
    const { requests, connections } = sender();
    for (let n = 0; n < 5; n += 1) await requests.post(requestTo(made.url()));
    const connection = connections.take(new URL(made.url()));
    expect([made.accepted, connection['client'].listenerCount('disconnect')]).toEqual([1, 1]);
    await connection.close();
  });

  it('Thousands of hosts leave no more than a bounded number of connections, and none after a moment.', async () => {
    const made = await endpoint((_incoming, outgoing) => outgoing.end());
    const hosts = Array.from({ length: 2_000 }, (_, n) => `h${n}.internal`);
    const names = new StubResolver(Object.fromEntries(hosts.map(host => [host, [['127.0.0.1']]])));
    const { requests, connections } = sender(
      { ...SHORT, answerMs: 15_000, perInstance: 16 },
      policyOf(LOOPBACK, names),
    );
    let most = 0;
    await Promise.all(
      hosts.map(async (host, n) => {
        await requests.post(requestTo(made.url(host), { workspaceId: `w${n % 50}` }));
        most = Math.max(most, connections.idleCount);
      }),
    );
    expect(most).toBeLessThanOrEqual(16);
    await made.connections(0);
    expect([made.accepted, connections.idleCount]).toEqual([2_000, 0]);
  });

  it('A connection that the endpoint closed meanwhile is not used again.', async () => {
    const made = await endpoint((incoming, outgoing) => {
      outgoing.end('ok', () => setImmediate(() => incoming.socket.destroy()));
    });
    const { requests, connections } = sender();
    for (let n = 0; n < 3; n += 1) {
      expect((await requests.post(requestTo(made.url()))).status).toBe(200);
      await eventually(() => (connections.idleCount === 0 ? true : undefined));
    }
    expect(made.accepted).toBe(3);
  });

  it('A certificate that is not trusted is refused, and one that is trusted must name the host.', async () => {
    const made = stoppedAfterTest(await Endpoint.https((_incoming, outgoing) => outgoing.end('secret')));
    const names = { 'hooks.shop.example': [['127.0.0.1']], 'other.shop.example': [['127.0.0.1']] };
    const policy = policyOf({ ...PRODUCTION, ...LOOPBACK }, new StubResolver(names));
    const url = made.url('hooks.shop.example');
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    expect(await outcome(sender({}, policy), requestTo(url))).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    const connect = tls.connect.bind(tls) as (options: tls.ConnectionOptions) => tls.TLSSocket;
    jest
      .spyOn(tls, 'connect')
      .mockImplementation((options: unknown) => connect({ ...(options as object), ca: CERTIFICATE }));
    const trusting = sender({}, policy);
    expect(await outcome(trusting, requestTo(url))).toBe(200);
    expect(await outcome(trusting, requestTo(url))).toBe(200);
    for (const host of ['other.shop.example', '127.0.0.1']) {
      expect(await outcome(trusting, requestTo(made.url(host)))).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    }
    expect(await outcome(trusting, requestTo(made.url('hooks.shop.example').replace('https', 'http')))).toBe(
      'ADDRESS_NOT_ALLOWED',
    );
  });
});

describe('A streamed answer', () => {
  const MORE = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

  async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
    let text = '';
    for await (const bytes of body) text += Buffer.from(bytes).toString('latin1');
    return text;
  }

  it('A stream is read while it arrives.', async () => {
    let send: (text: string) => void = () => undefined;
    const made = await raw(socket => {
      send = text => socket.write(text);
      socket.write(MORE + chunk('one'));
    });
    const { requests, connections } = sender();
    const seen: string[] = [];
    const result = await requests.stream(requestTo(made.url()), async ({ status, contentType, latencyMs, body }) => {
      seen.push(`${status} ${contentType} ${typeof latencyMs}`);
      for await (const bytes of body) {
        seen.push(Buffer.from(bytes).toString());
        send(seen.length === 2 ? chunk('two') : '0\r\n\r\n');
      }
      return 'result';
    });
    expect([result, seen]).toEqual(['result', ['200 text/event-stream number', 'one', 'two']]);
    expect(connections.idleCount).toBe(1);
  });

  it('A stream of exactly 256 KiB is read, and reading on after that throws AnswerTooLarge.', async () => {
    const limit = 256 * 1024;
    for (const size of [limit, limit + 1, 10_000_000]) {
      const made = await endpoint((_incoming, outgoing) => outgoing.end('x'.repeat(size)));
      let read = 0;
      const reading = sender().requests.stream(requestTo(made.url()), async ({ body }) => {
        for await (const { length } of body) read += length;
      });
      if (size === limit) await reading;
      else await expect(reading).rejects.toThrow(AnswerTooLarge);
      expect([size, read]).toEqual([size, limit]);
      if (size > limit) await made.connections(0);
    }
  });

  it('The connection is closed when the reader returns or throws before the end.', async () => {
    const made = await raw(socket => socket.write(MORE + chunk('one')));
    const { requests } = sender();
    expect(await requests.stream(requestTo(made.url()), ({ status }) => Promise.resolve(status))).toBe(200);
    await made.connections(0);
    const failing = requests.stream(requestTo(made.url()), async ({ body }) => {
      for await (const _bytes of body) throw new Error('unreadable');
    });
    await expect(failing).rejects.toThrow('unreadable');
    await made.connections(0);
    const stopping = requests.stream(requestTo(made.url()), async ({ body }) => {
      for await (const bytes of body) return Buffer.from(bytes).toString();
      return '';
    });
    expect(await stopping).toBe('one');
    await made.connections(0);
  });

  it('A gap without a byte ends a stream, and bytes now and then do not.', async () => {
    const made = await raw(socket => {
      let left = 6;
      socket.write(MORE);
      const drip = setInterval(() => {
        if (left === 0) clearInterval(drip);
        else socket.write(chunk(String(left--)));
      }, 60);
      socket.on('close', () => clearInterval(drip));
    });
    let seen = '';
    const reading = sender(SHORT).requests.stream(requestTo(made.url()), async ({ body }) => {
      for await (const bytes of body) seen += Buffer.from(bytes).toString();
    });
    await expect(reading).rejects.toMatchObject({
      code: 'endpoint_unreachable',
      cause: { message: 'no byte within 150 ms' },
    });
    expect(seen).toBe('654321');
    await made.connections(0);
  });

  it.each([
    ['An event stream whose time its caller limits goes on', 'text/event-stream; charset=utf-8', true, 'onetwo'],
    ['An event stream that no caller ends is broken off', 'text/event-stream', false, 'one'],
    ['Any other answer is broken off', 'application/json', true, 'one'],
  ])('%s after a gap.', async (_name, contentType, hasSignal, expected) => {
    const made = await raw(socket => {
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: ${contentType}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk('one')}`,
      );
      setTimeout(() => socket.end(`${chunk('two')}0\r\n\r\n`), 500);
    });
    const request = requestTo(made.url(), hasSignal ? { signal: new AbortController().signal } : {});
    let seen = '';
    const reading = sender(SHORT).requests.stream(request, async ({ body }) => {
      for await (const bytes of body) seen += Buffer.from(bytes).toString();
    });
    await reading.catch(() => undefined);
    expect(seen).toBe(expected);
    await made.connections(0);
  });

  it('A slow reader is not a gap.', async () => {
    const made = await endpoint((_incoming, outgoing) => {
      outgoing.write('a');
      outgoing.end('b');
    });
    const read = sender(SHORT).requests.stream(requestTo(made.url()), async ({ body }) => {
      await new Promise(resolve => setTimeout(resolve, 300));
      return textOf(body);
    });
    expect(await read).toBe('ab');
  });

  it('A head that does not arrive, and a stream that breaks, are unreachable.', async () => {
    const silent = await raw(() => undefined);
    const never = sender(SHORT).requests.stream(requestTo(silent.url()), () => Promise.resolve());
    await expect(never).rejects.toThrow(EndpointUnreachable);
    const breaking = await raw(socket => socket.end(MORE + chunk('one')));
    let seen = '';
    const broken = sender().requests.stream(requestTo(breaking.url()), async ({ body }) => {
      for await (const bytes of body) seen += Buffer.from(bytes).toString();
    });
    await expect(broken).rejects.toThrow(EndpointUnreachable);
    expect(seen).toBe('one');
  });

  it('An abort ends the reading, whether or not the length of the body is known.', async () => {
    for (const head of [MORE, 'HTTP/1.1 200 OK\r\n\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n']) {
      const made = await raw(socket => socket.write(head + chunk('one')));
      const abort = new AbortController();
      const { requests } = sender();
      const request = requestTo(made.url(), { signal: abort.signal });
      const reading = requests.stream(request, async ({ body }) => {
        for await (const _bytes of body) abort.abort(new Error('taken over'));
      });
      await expect(reading).rejects.toThrow('taken over');
      await made.connections(0);
    }
  });

  it('Events are read from a stream.', async () => {
    const made = await raw(socket => {
      socket.write(MORE + chunk('event: delta\ndata: {"te') + chunk('xt":"Hi"}\n\n'));
      socket.end('0\r\n\r\n');
    });
    const events = await sender().requests.stream(requestTo(made.url()), async ({ body }) => {
      const all: unknown[] = [];
      for await (const event of readEventStream(body)) all.push(event);
      return all;
    });
    expect(events).toEqual([{ event: 'delta', data: '{"text":"Hi"}' }]);
  });
});

describe('A stop of the service', () => {
  /** Resources of this process that keep it running. */
  const resources = () =>
    process.getActiveResourcesInfo().filter(name => /^(TCPSocketWrap|TLSWrap|Timeout|GetAddrInfoReqWrap)$/.test(name))
      .length;

  it('A stop lets requests end, cuts off those that take too long, and leaves no socket and no timer.', async () => {
    const before = resources();
    const slow = await raw(socket => {
      const timer = setTimeout(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), 20);
      socket.on('close', () => clearTimeout(timer));
    });
    const dead = await raw(() => undefined);
    const streaming = await raw(socket => socket.write('HTTP/1.1 200 OK\r\n\r\nhalf'));
    const { requests } = senderOf({ stopMs: 200, perHost: 1 });
    const ending = requests.post(requestTo(slow.url()));
    const cut = [
      requests.post(requestTo(dead.url())),
      requests.post(requestTo(dead.url())),
      requests.stream(requestTo(streaming.url()), async ({ body }) => {
        for await (const _bytes of body) continue;
      }),
    ].map(sent => sent.catch((error: unknown) => error));
    await Promise.all([slow, dead, streaming].map(one => one.connections(1)));
    requests.beforeApplicationShutdown();
    await requests.onApplicationShutdown();
    expect((await ending).status).toBe(200);
    for (const error of await Promise.all(cut)) expect(error).toBeInstanceOf(OutboundStopped);
    await expect(requests.post(requestTo(slow.url()))).rejects.toThrow(OutboundStopped);
    await Promise.all([slow, dead, streaming].map(one => one.stop()));
    await eventually(
      () => (resources() <= before ? true : undefined),
      5_000,
      () => process.getActiveResourcesInfo(),
    );
  });

  it('A stop without requests is immediate, and one after the last request does not wait for its time.', async () => {
    const idle = senderOf();
    await idle.requests.onApplicationShutdown();
    const made = await endpoint((_incoming, outgoing) => outgoing.end());
    const used = senderOf();
    await used.requests.post(requestTo(made.url()));
    await used.requests.onApplicationShutdown();
    await made.connections(0);
  });
});

describe('Metrics of outbound requests', () => {
  it('Requests are counted by outcome, without a host, an id or a URL.', async () => {
    const made = await endpoint((incoming, outgoing) => {
      if (incoming.url === '/hang') return;
      outgoing.writeHead(Number(incoming.url?.slice(1))).end();
    });
    const { requests, registry } = sender(SHORT);
    for (const path of ['/200', '/204', '/302', '/410', '/500'])
      await requests.post(requestTo(made.url(undefined, path)));
    await requests.stream(requestTo(made.url(undefined, '/200')), () => Promise.resolve());
    await requests.post(requestTo(made.url(undefined, '/hang'))).catch(() => undefined);
    await requests.post(requestTo('http://10.0.0.1/')).catch(() => undefined);
    await requests.post(requestTo(made.url(), { signal: AbortSignal.abort() })).catch(() => undefined);
    const text = await registry.metrics();
    const counts = [...text.matchAll(/outbound_requests_total\{outcome="(\w+)"\} (\d+)/g)].map(([, name, n]) => [
      name,
      Number(n),
    ]);
    expect(Object.fromEntries(counts)).toEqual({ answered_2xx: 3, answered_other: 3, unreachable: 2, aborted: 1 });
    expect(text).toContain('outbound_requests{state="under_way"} 0');
    expect(text).toContain('outbound_requests{state="waiting"} 0');
    expect(text).toContain('outbound_request_duration_seconds_count 6');
    expect(text).not.toMatch(/127\.0\.0\.1|evt_1|hook/);
  });
});
