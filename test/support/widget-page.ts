import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { stoppedAtEnd } from './jest/leftovers.js';

const checkout = resolve(import.meta.dirname, '../..');
const dist = `${checkout}/clients/widget/dist`;

/** A page with the built widget. It passes everything else on to the service, so that one origin has all. */
export class WidgetPage {
  readonly stop = stoppedAtEnd(async () => {
    this.server.closeAllConnections();
    await new Promise(done => this.server.close(done));
  });

  private constructor(
    private readonly server: Server,
    private readonly service: URL,
  ) {
    server.on('upgrade', (incoming: IncomingMessage, socket) => {
      const { hostname, port } = this.service;
      const upstream = connect(Number(port), hostname, () => {
        const { rawHeaders } = incoming;
        const headers = rawHeaders.map((part, index) => (index % 2 ? `${part}\r\n` : `${part}: `)).join('');
        upstream.write(`GET ${incoming.url} HTTP/1.1\r\n${headers}\r\n`);
        upstream.pipe(socket).pipe(upstream);
      });
      for (const end of [upstream, socket]) end.on('error', () => [upstream, socket].forEach(each => each.destroy()));
    });
  }

  /** Builds the widget. Its SDK must be built: `npm run build:sdk`. */
  static async start(serviceUrl: string): Promise<WidgetPage> {
    const built = spawnSync(process.execPath, ['clients/widget/build.js'], { cwd: checkout, encoding: 'utf8' });
    if (built.status !== 0) throw new Error(`the build of the widget failed: ${built.stderr}`);
    const service = new URL(serviceUrl);
    const server = createServer((incoming, response) => {
      const { pathname, searchParams } = new URL(incoming.url ?? '/', service);
      if (pathname === '/shop')
        return response.setHeader('Content-Type', 'text/html').end(shop(searchParams.get('token')));
      if (/^\/widget(\/|\.js)/.test(pathname)) {
        return response.setHeader('Content-Type', 'text/javascript').end(readFileSync(`${dist}${pathname}`));
      }
      const { method = 'GET', headers } = incoming;
      const passedOn = request(new URL(incoming.url ?? '/', service), { method, headers }, answer => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      passedOn.on('error', () => response.destroy());
      return incoming.pipe(passedOn);
    });
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    return new WidgetPage(server, service);
  }

  /** The address of a page with the widget of a channel. */
  url(widgetToken: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/shop?token=${widgetToken}`;
  }
}

/** The icon keeps the browser from asking for one. */
const shop = (token: string | null) =>
  `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><h1>Shop</h1>
  <script async src="/widget.js" data-widget-token="${token}"></script></html>`;
