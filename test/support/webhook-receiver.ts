import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { eventually } from './eventually.js';
import { stoppedAtEnd } from './jest/leftovers.js';
import type { Json } from './json.js';

/** Settings of a service that may deliver to receivers on this machine. */
export const LOCAL_WEBHOOKS = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };

/** A delivery as it arrived. */
export interface Received {
  id: string;
  path: string;
  body: Json;
  text: string;
  headers: IncomingHttpHeaders;
}

type Respond = (delivery: Received, response: ServerResponse) => void | Promise<void>;

const TOLERANCE_MS = 4 * 60_000;

/** A server that receives deliveries, verifies each signature and answers 200 unless a test says otherwise. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** A delivery must be signed by one of them. */
  readonly secrets: string[] = [];
  /** Deliveries without a valid signature. */
  readonly unsigned: Received[] = [];
  respond: Respond = (_delivery, response) => void response.writeHead(200).end('ok');

  private constructor(
    private readonly server: Server,
    readonly stop: () => Promise<void>,
  ) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    const stop = stoppedAtEnd(async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    });
    const receiver = new WebhookReceiver(server, stop);
    server.on('request', (request, response) => {
      receiver.receive(request, response).catch((error: unknown) => {
        // a sender that dies in the middle has sent nothing
        if (!request.errored) throw error;
      });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** Waits for at least this many deliveries. */
  async until(count: number, ms?: number): Promise<Received[]> {
    const types = () => this.received.map(({ body }) => body.type as string);
    return eventually(() => (this.received.length >= count ? this.received : undefined), ms, types);
  }

  /** Waits for a delivery that matches. */
  find(matches: (delivery: Received) => boolean, ms?: number): Promise<Received> {
    return eventually(
      () => this.received.find(matches),
      ms,
      () => this.received.map(({ body }) => body.type as string),
    );
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const { headers, url = '' } = request;
    const id = String(headers['webhook-id']);
    const delivery = { id, path: url, body: JSON.parse(text) as Json, text, headers };
    if (!this.secrets.some(secret => isSigned(secret, delivery))) this.unsigned.push(delivery);
    this.received.push(delivery);
    await this.respond(delivery, response);
  }
}

/** Verifies with the library; of a service whose clock is moved, without the age of the signature. */
export function isSigned(secret: string, { id, text, headers }: Received): boolean {
  const signature = String(headers['webhook-signature']);
  const timestamp = Number(headers['webhook-timestamp']);
  const at = new Date(timestamp * 1_000);
  const webhook = new Webhook(secret);
  if (Math.abs(Date.now() - at.getTime()) > TOLERANCE_MS)
    return signature.split(' ').includes(webhook.sign(id, at, text));
  try {
    webhook.verify(text, {
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signature,
    });
    return true;
  } catch {
    return false;
  }
}
