import type { Page, Request } from 'playwright-core';

/** A response as it came over the network. */
export interface Transfer {
  url: string;
  status: number;
  /** Bytes of the body, as compressed. */
  bytes: number;
}

/** Chromium itself logs every refused request, whatever the page does about it. */
const REFUSED_REQUEST = /^Failed to load resource: the server responded with a status of 40[13] /;

/** A page in a browser that remembers what went wrong in it, and what it loaded. */
export class Tab {
  /** Errors in the console, violations of a Content-Security-Policy among them, and uncaught exceptions. */
  readonly errors: string[] = [];
  readonly warnings: string[] = [];
  /** Addresses of all requests, in order. */
  readonly requests: string[] = [];
  private readonly transfers: Promise<Transfer>[] = [];

  constructor(readonly page: Page) {
    page.on('console', message => {
      const text = message.text();
      if (message.type() === 'error' && !REFUSED_REQUEST.test(text)) {
        this.errors.push(text.startsWith('Failed to load') ? `${text} ${message.location().url}` : text);
      }
      if (message.type() === 'warning') this.warnings.push(text);
    });
    page.on('pageerror', error => this.errors.push(String(error)));
    page.on('request', request => this.requests.push(request.url()));
    page.on('requestfinished', request => {
      const transfer = transferOf(request);
      this.transfers.push(transfer);
      // Its page may be closed before.
      transfer.catch(() => undefined);
    });
  }

  /** All finished requests since the tab was opened. */
  loaded(): Promise<Transfer[]> {
    return Promise.all(this.transfers);
  }
}

async function transferOf(request: Request): Promise<Transfer> {
  const [response, sizes] = await Promise.all([request.response(), request.sizes()]);
  return { url: request.url(), status: response?.status() ?? 0, bytes: sizes.responseBodySize };
}
