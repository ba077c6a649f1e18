import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stoppedAtEnd } from '../../support/jest/leftovers.js';

/** A page of the site. */
export interface SitePage {
  /** Inside `<head>`. */
  head?: string;
  /** Inside `<body>`. */
  body?: string;
  lang?: string;
  /** Response headers, such as `Content-Security-Policy`. */
  headers?: Record<string, string>;
}

interface SiteFile {
  content: string;
  headers: Record<string, string>;
}

/**
 * The website of a company, which includes the widget. It is at `localhost` and the service at `127.0.0.1`, so that
 * browsers treat them as two sites.
 */
export class CompanySite {
  readonly stop = stoppedAtEnd(() => this.close());
  private readonly files = new Map<string, SiteFile>();

  private constructor(private readonly server: Server) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.answer(request, response));
  }

  static async start(): Promise<CompanySite> {
    const site = new CompanySite(createServer());
    await new Promise<void>((resolve, reject) => {
      site.server.once('error', reject).listen(0, 'localhost', resolve);
    });
    return site;
  }

  get origin(): string {
    return `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  /** Publishes an HTML page at a new address. @returns its URL */
  publish({ head = '', body = '', lang = 'en', headers = {} }: SitePage): string {
    const content = `<!doctype html>
<html lang="${lang}">
<head><meta charset="utf-8"><title>Company</title><link rel="icon" href="data:,">${head}</head>
<body><main><h1>Company</h1>${body}</main></body>
</html>
`;
    return this.publishFile(`/page-${this.files.size + 1}`, content, { 'Content-Type': 'text/html', ...headers });
  }

  /** Publishes a file, such as a script of the page. @returns its URL */
  publishFile(path: string, content: string, headers: Record<string, string>): string {
    this.files.set(path, { content, headers });
    return `${this.origin}${path}`;
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const file = this.files.get(new URL(request.url ?? '/', this.origin).pathname);
    response.writeHead(file ? 200 : 404, { 'Cache-Control': 'no-store', ...file?.headers });
    response.end(file?.content);
  }

  private async close(): Promise<void> {
    const closed = new Promise(resolve => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }
}

/** The line of HTML that a company puts into its pages. @param attributes further attributes of the element */
export function snippet(serviceUrl: string, widgetToken: string, attributes = ''): string {
  return `<script async src="${serviceUrl}/widget.js" data-widget-token="${widgetToken}" ${attributes}></script>`;
}
