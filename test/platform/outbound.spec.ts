import { createServer } from 'node:http';
import { pbkdf2 } from 'node:crypto';
import { createSocket } from 'node:dgram';
import type { Socket as DatagramSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigInvalid } from '../../src/config/parse-env.js';
import type { DomainError } from '../../src/kernel/domain-error.js';
import type { AddressPolicy } from '../../src/platform/outbound/address.policy.js';
import { URL_CHARS } from '../../src/platform/outbound/address.policy.js';
import { OutboundConnectionsService } from '../../src/platform/outbound/outbound-connections.service.js';
import { OutboundLimitsPolicy } from '../../src/platform/outbound/outbound-limits.policy.js';
import { ResolverService } from '../../src/platform/outbound/resolver.service.js';
import { configOf, LOOPBACK, policyOf, PRODUCTION, StubResolver } from '../support/outbound.js';

const PUBLIC = '93.184.215.14';
const HOOK = 'https://hooks.shop.example/bot';

/** Error code of a URL; null if it may be called. */
async function fault(policy: AddressPolicy, url: string): Promise<string | null> {
  try {
    await policy.assertCallable(url, 'webhook_url');
    return null;
  } catch (error) {
    const { kind, code, details } = error as DomainError;
    expect([kind, code, details?.map(({ field }) => field)]).toEqual(['invalid', 'validation_failed', ['webhook_url']]);
    return details?.[0]?.code ?? '';
  }
}

describe('Saving a webhook URL', () => {
  it.each([
    ['loopback', '127.0.0.1'],
    ['loopback, far along', '127.255.255.254'],
    ['loopback, short form', '127.1'],
    ['loopback as one number', '2130706433'],
    ['loopback in hexadecimal', '0x7f000001'],
    ['loopback in octal', '017700000001'],
    ['loopback in mixed notations', '0x7f.0.0.01'],
    ['loopback with a trailing dot', '127.0.0.1.'],
    ['loopback in full-width digits', '１２７.0.0.1'],
    ['loopback in circled digits', '①②⑦.0.0.1'],
    ['loopback with ideographic dots', '127。0。0。1'],
    ['loopback, percent-encoded', '%31%32%37.0.0.1'],
    ['the unspecified address', '0.0.0.0'],
    ['the unspecified address, short form', '0'],
    ['this network', '0.1.2.3'],
    ['private, 10', '10.0.0.1'],
    ['private, 172.16', '172.16.0.1'],
    ['private, the end of 172.16', '172.31.255.255'],
    ['private, 192.168', '192.168.1.1'],
    ['private as one number', '3232235777'],
    ['shared', '100.64.0.1'],
    ['shared, the end', '100.127.255.255'],
    ['link-local', '169.254.0.1'],
    ["a cloud's metadata service", '169.254.169.254'],
    ["a cloud's metadata service as one number", '2852039166'],
    ['protocol assignments', '192.0.0.8'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['6to4 relays', '192.88.99.1'],
    ['benchmarks', '198.19.255.255'],
    ['multicast', '224.0.0.1'],
    ['multicast, the end', '239.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['loopback', '[::1]'],
    ['loopback, long form', '[0000:0000:0000:0000:0000:0000:0000:0001]'],
    ['unspecified', '[::]'],
    ['link-local', '[fe80::1]'],
    ['site-local', '[fec0::1]'],
    ['unique local', '[fc00::1]'],
    ['unique local', '[fd12:3456::1]'],
    ['multicast', '[ff02::1]'],
    ['discard-only', '[100::1]'],
    ['documentation', '[2001:db8::1]'],
    ['documentation, the newer range', '[3fff::1]'],
    ['mapped, loopback', '[::ffff:127.0.0.1]'],
    ['mapped, private, in hexadecimal', '[::ffff:a00:1]'],
    ['mapped, public', `[::ffff:${PUBLIC}]`],
    ['translated, loopback', '[::ffff:0:127.0.0.1]'],
    ['compatible, loopback', '[::127.0.0.1]'],
    ['NAT64, private', '[64:ff9b::10.0.0.1]'],
    ['NAT64 with a local prefix', '[64:ff9b:1::10.0.0.1]'],
    ['6to4, private', '[2002:a00:1::1]'],
    ['Teredo', '[2001:0:4136:e378:8000:63bf:3fff:fdd2]'],
    ['unallocated', '[4000::1]'],
    ['the name localhost', 'localhost'],
    ['the name localhost in capitals', 'LOCALHOST'],
    ['the name localhost with a trailing dot', 'localhost.'],
    ['the name localhost, percent-encoded', 'loc%61lhost'],
    ['a subdomain of localhost', 'bot.localhost'],
  ])('A URL with an address that is not public is refused: %s, %s', async (_case, host) => {
    for (const url of [`http://${host}/`, `https://${host}:8443/bot?x=1#y`]) {
      expect([url, await fault(policyOf(), url)]).toEqual([url, 'address_not_allowed']);
    }
  });

  it.each([
    ['neighbours of private networks', ['9.255.255.255', '11.0.0.0', '172.15.255.255', '172.32.0.0', '192.167.1.1']],
    ['neighbours of shared and link-local networks', ['100.63.255.255', '100.128.0.0', '169.253.1.1', '169.255.1.1']],
    ['neighbours of loopback and multicast', ['126.255.255.255', '128.0.0.0', '223.255.255.255', '1.0.0.0']],
    ['allocated IPv6', ['[2606:4700::1111]', '[2a00:1450:4001::200e]', '[2001:4860:4860::8888]']],
  ])('A URL with a public address is accepted: %s', async (_case, hosts) => {
    for (const host of hosts) expect([host, await fault(policyOf(), `https://${host}/bot`)]).toEqual([host, null]);
  });

  it('A URL is refused if any address of its host name is not public.', async () => {
    const names = new StubResolver({
      'intranet.shop.example': [['10.1.2.3']],
      'both.shop.example': [[PUBLIC, '192.168.0.7']],
      'six.shop.example': [['2606:4700::1111', 'fd00::7']],
      'scoped.shop.example': [['fe80::1%eth0']],
      'mapped.shop.example': [['::ffff:10.0.0.1']],
      'good.shop.example': [[PUBLIC, '2606:4700::1111']],
    });
    for (const name of ['intranet', 'both', 'six', 'scoped', 'mapped']) {
      const url = `https://${name}.shop.example/bot`;
      expect([name, await fault(policyOf({}, names), url)]).toEqual([name, 'address_not_allowed']);
    }
    expect(await fault(policyOf({}, names), 'https://good.shop.example/bot')).toBeNull();
  });

  it('A URL is accepted if its host name does not resolve at the moment.', async () => {
    const names = new StubResolver();
    expect(await fault(policyOf({}, names), HOOK)).toBeNull();
    expect(names.lookups).toEqual(['hooks.shop.example']);
  });

  it('A URL is accepted if resolving its host name takes too long.', async () => {
    class Slow extends ResolverService {
      override resolve(): Promise<never> {
        return new Promise(() => undefined);
      }
    }
    expect(await fault(policyOf({}, new Slow()), HOOK)).toBeNull();
  });

  it.each([
    ['nothing', ''],
    ['a name alone', 'hooks.shop.example'],
    ['a path', '/bot'],
    ['another scheme', 'ftp://hooks.shop.example/bot'],
    ['a file', 'file:///etc/passwd'],
    ['a program', 'javascript:alert(1)'],
    ['data', 'data:text/plain,x'],
    ['a socket', 'ws://hooks.shop.example/bot'],
    ['gopher', 'gopher://127.0.0.1:6379/_x'],
    ['no slashes', 'https:hooks.shop.example/bot'],
    ['too many slashes', 'https:///hooks.shop.example/bot'],
    ['backslashes', 'https:\\\\hooks.shop.example\\bot'],
    ['a backslash', 'https://hooks.shop.example\\@127.0.0.1/'],
    ['a space in front', ' https://hooks.shop.example/bot'],
    ['a line break inside', 'https://hooks.shop.\nexample/bot'],
    ['no name', 'https://'],
    ['no port', 'https://hooks.shop.example:port/'],
    ['an invalid port', 'https://hooks.shop.example:70000/'],
    ['an invalid address', 'https://256.256.256.256/'],
    ['a zone', 'http://[fe80::1%25eth0]/'],
  ])('A malformed URL is refused without a lookup: %s', async (_case, url) => {
    const names = new StubResolver();
    expect(await fault(policyOf({}, names), url)).toBe('format');
    expect(names.lookups).toEqual([]);
  });

  it('A URL with a user name or password is refused.', async () => {
    for (const userinfo of ['user:password@', 'user@', ':password@', 'hooks.shop.example%40']) {
      const url = `https://${userinfo}${userinfo.endsWith('@') ? '' : '@'}${PUBLIC}/`;
      expect([userinfo, await fault(policyOf(), url)]).toEqual([userinfo, 'credentials']);
    }
  });

  it('A URL has at most 2048 characters.', async () => {
    const long = HOOK.padEnd(URL_CHARS, 'x');
    expect(await fault(policyOf(), long)).toBeNull();
    expect(await fault(policyOf(), `${long}x`)).toBe('too_long');
  });

  it('A URL must use https in production, even if the service itself does not.', async () => {
    expect(await fault(policyOf(PRODUCTION), HOOK.replace('https', 'http'))).toBe('https_required');
    expect(await fault(policyOf(PRODUCTION), HOOK)).toBeNull();
    expect(await fault(policyOf(), HOOK.replace('https', 'http'))).toBeNull();
  });

  it('A URL has port 80, 443 or one above 1023 in production.', async () => {
    const withPort = (port: string) => `https://${PUBLIC}:${port}/bot`;
    for (const port of ['', '80', '443', '0443', '1024', '8443', '65535']) {
      expect([port, await fault(policyOf(PRODUCTION), withPort(port))]).toEqual([port, null]);
    }
    for (const port of ['0', '1', '22', '25', '79', '81', '444', '993', '1023']) {
      expect([port, await fault(policyOf(PRODUCTION), withPort(port))]).toEqual([port, 'port_not_allowed']);
      expect([port, await fault(policyOf(), withPort(port))]).toEqual([port, null]);
    }
  });
});

describe('WEBHOOK_ALLOWED_CIDRS', () => {
  it('WEBHOOK_ALLOWED_CIDRS allows its networks and no others, for host names and addresses alike.', async () => {
    const names = new StubResolver({ 'bot.internal': [['10.7.0.9']], 'db.internal': [['10.8.0.9']] });
    const policy = policyOf({ WEBHOOK_ALLOWED_CIDRS: '10.7.0.0/16, fd00:7::/32, 127.0.0.1' }, names);
    const open = ['http://10.7.255.255/', 'http://[fd00:7:1::1]/', 'http://127.0.0.1:9/', 'http://bot.internal/'];
    for (const url of [...open, 'http://localhost/']) expect([url, await fault(policy, url)]).toEqual([url, null]);
    const shut = [
      'http://10.8.0.1/',
      'http://[fd00:8::1]/',
      'http://127.0.0.2/',
      'http://db.internal/',
      'http://[::1]/',
    ];
    for (const url of shut) expect([url, await fault(policy, url)]).toEqual([url, 'address_not_allowed']);
  });

  it('WEBHOOK_ALLOWED_CIDRS is validated at start.', () => {
    const faults = (value: string) => {
      try {
        return [configOf({ WEBHOOK_ALLOWED_CIDRS: value }).webhookAllowedCidrs, null];
      } catch (error) {
        return [null, (error as ConfigInvalid).faults];
      }
    };
    expect(faults('10.0.0.0/8,fd00::/8 , 192.168.1.7')).toEqual([['10.0.0.0/8', 'fd00::/8', '192.168.1.7'], null]);
    expect(faults('')).toEqual([[], null]);
    for (const wrong of [
      '10.0.0.0/33',
      '10.0.0.0/0',
      '10.0.0/8',
      'fd00::/129',
      'intranet',
      '10.0.0.0/8,',
      '10.0.0.0/8/8',
    ]) {
      expect([wrong, ...faults(wrong)]).toEqual([
        wrong,
        null,
        ['WEBHOOK_ALLOWED_CIDRS must be networks such as 10.0.0.0/8 or fd00::/8, separated by commas'],
      ]);
    }
  });
});

describe('Outbound connections', () => {
  let port: number;
  let reached = 0;
  const server = createServer((incoming, outgoing) => {
    reached += 1;
    if (incoming.url === '/moved') outgoing.writeHead(302, { Location: `http://127.0.0.1:${port}/` });
    outgoing.end('hello');
  });

  beforeAll(async () => {
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => new Promise(resolve => server.close(resolve)));

  /** Status of a request over a new connection, or its error code. */
  async function call(policy: AddressPolicy, target: string): Promise<number | string> {
    const url = new URL(target);
    const connection = new OutboundConnectionsService(policy, new OutboundLimitsPolicy()).take(url);
    try {
      return (await connection.request(url.pathname, {}, '{}')).statusCode;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? String(error);
    } finally {
      await connection.close();
    }
  }

  it('A connection to loopback is refused before it is made, by address and by name, with and without TLS.', async () => {
    const names = new StubResolver({ 'bot.shop.example': [['127.0.0.1']], localhost: [['127.0.0.1']] });
    const policy = policyOf({}, names);
    const before = reached;
    for (const host of ['127.0.0.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', 'localhost', 'bot.shop.example']) {
      for (const scheme of ['http', 'https']) {
        const url = `${scheme}://${host}:${port}/`;
        expect([url, await call(policy, url)]).toEqual([url, 'ADDRESS_NOT_ALLOWED']);
      }
    }
    expect(reached).toBe(before);
  });

  it('A connection to loopback is made if the configuration allows it, by address and by name.', async () => {
    const policy = policyOf(LOOPBACK, new StubResolver({ 'bot.internal': [['127.0.0.1']] }));
    for (const host of ['127.0.0.1', '0x7f.1', 'bot.internal']) {
      expect([host, await call(policy, `http://${host}:${port}/`)]).toEqual([host, 200]);
    }
  });

  it("A connection uses the system's resolver by default.", async () => {
    expect(await call(policyOf(LOOPBACK, new ResolverService()), `http://localhost:${port}/`)).toBe(200);
    expect(await call(policyOf({}, new ResolverService()), `http://localhost:${port}/`)).toBe('ADDRESS_NOT_ALLOWED');
  });

  it('A connection is refused if the host name has changed to a private address since it was saved.', async () => {
    const names = new StubResolver({ 'rebound.shop.example': [[PUBLIC], ['127.0.0.1']] });
    const policy = policyOf({}, names);
    const before = reached;
    expect(await fault(policy, `http://rebound.shop.example:${port}/`)).toBeNull();
    expect(await call(policy, `http://rebound.shop.example:${port}/`)).toBe('ADDRESS_NOT_ALLOWED');
    expect([reached, names.lookups.length]).toEqual([before, 2]);
  });

  it('A connection resolves the name once: it goes to the address that was checked.', async () => {
    const names = new StubResolver({ 'rebound.internal': [['127.0.0.1'], ['10.0.0.1']] });
    expect(await call(policyOf(LOOPBACK, names), `http://rebound.internal:${port}/`)).toBe(200);
    expect(names.lookups).toEqual(['rebound.internal']);
  });

  it('A connection is refused if any address of the host name is not allowed, whatever their order.', async () => {
    const mixed = [
      ['127.0.0.1', '10.0.0.1'],
      ['10.0.0.1', '127.0.0.1'],
    ];
    for (const addresses of mixed) {
      const policy = policyOf(LOOPBACK, new StubResolver({ 'mixed.internal': [addresses] }));
      expect(await call(policy, `http://mixed.internal:${port}/`)).toBe('ADDRESS_NOT_ALLOWED');
    }
  });

  it('A connection is also checked if it asks for a single address.', async () => {
    const { lookup } = policyOf(
      LOOPBACK,
      new StubResolver({ 'bot.internal': [['127.0.0.1']], 'db.internal': [['10.0.0.1']] }),
    );
    const outcome = (host: string) =>
      new Promise(resolve => {
        const socket = connect({ host, port, lookup, autoSelectFamily: false });
        socket
          .on('connect', () => resolve('connected'))
          .on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
        socket.on('connect', () => socket.destroy());
      });
    expect(await outcome('bot.internal')).toBe('connected');
    expect(await outcome('db.internal')).toBe('ADDRESS_NOT_ALLOWED');
  });

  it('A connection to an unknown host name fails with ENOTFOUND.', async () => {
    expect(await call(policyOf(), 'http://nowhere.shop.example/')).toBe('ENOTFOUND');
  });

  it('A request follows no redirect.', async () => {
    expect(await call(policyOf(LOOPBACK), `http://127.0.0.1:${port}/moved`)).toBe(302);
  });
});

describe('The DNS resolver', () => {
  const A = 1;
  const AAAA = 28;
  /** Records by name and type. A missing name does not exist; null simulates a server that never answers. */
  const ZONE: Record<string, Record<number, number[][]> | null> = {
    'both.shop.example': {
      [A]: [[93, 184, 215, 14]],
      [AAAA]: [[0x26, 0x06, 0x47, 0, ...Array<number>(11).fill(0), 1]],
    },
    'old.shop.example': { [A]: [[10, 0, 0, 1]] },
    'rebound.shop.example': { [A]: [[127, 0, 0, 1]] },
    'silent.shop.example': null,
  };
  let server: DatagramSocket;
  let queries = 0;

  class LocalResolver extends ResolverService {
    constructor() {
      super();
      this.dns.setServers([`127.0.0.1:${server.address().port}`]);
    }
  }

  beforeAll(async () => {
    server = createSocket('udp4');
    server.on('message', (query, { port, address }) => {
      const answer = answerTo(query);
      if (answer) server.send(answer, port, address);
    });
    await new Promise<void>(resolve => server.bind(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise<void>(resolve => server.close(resolve)));

  /** A minimal name server: one question, answers that refer to its name. */
  function answerTo(query: Buffer): Buffer | null {
    queries += 1;
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const type = query.readUInt16BE(at + 1);
    const zone = ZONE[labels.join('.').toLowerCase()];
    if (zone === null) return null;
    const found = zone?.[type] ?? [];
    const header = Buffer.from([
      query[0] ?? 0,
      query[1] ?? 0,
      0x81,
      zone ? 0x80 : 0x83,
      0,
      1,
      0,
      found.length,
      0,
      0,
      0,
      0,
    ]);
    const records = found.map(data => Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data]));
    return Buffer.concat([header, query.subarray(12, at + 5), ...records]);
  }

  it('The resolver returns the addresses of both families.', async () => {
    expect(await new LocalResolver().resolve('both.shop.example')).toEqual([
      { address: '93.184.215.14', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ]);
    expect(await new LocalResolver().resolve('old.shop.example')).toEqual([{ address: '10.0.0.1', family: 4 }]);
    await expect(new LocalResolver().resolve('none.shop.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('The resolver queries DNS both when a URL is saved and when it is called.', async () => {
    const policy = policyOf({}, new LocalResolver());
    expect(await fault(policy, 'https://both.shop.example/')).toBeNull();
    expect(await fault(policy, 'https://none.shop.example/')).toBeNull();
    expect(await fault(policy, 'https://old.shop.example/')).toBe('address_not_allowed');
    const url = new URL('http://rebound.shop.example/');
    const connection = new OutboundConnectionsService(policy, new OutboundLimitsPolicy()).take(url);
    await expect(connection.request('/', {}, '{}')).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
    await connection.close();
  });

  it('Silent DNS servers do not block password hashing.', async () => {
    const before = queries;
    let silent = 12;
    const waiting = Array.from({ length: silent }, () =>
      new LocalResolver().resolve('silent.shop.example').catch((error: NodeJS.ErrnoException) => {
        silent -= 1;
        return error.code;
      }),
    );
    await new Promise((resolve, reject) =>
      pbkdf2('password', 'salt', 1, 32, 'sha256', error => (error ? reject(error) : resolve(null))),
    );
    expect(silent).toBe(12);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['ETIMEOUT']));
    expect(queries - before).toBeGreaterThanOrEqual(24);
  });

  it('Names without a dot come from the hosts file.', async () => {
    const before = queries;
    expect(await new LocalResolver().resolve('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
    expect(queries).toBe(before);
  });
});
