import type { ServerResponse } from 'node:http';
import type { Caller } from './http.js';
import type { Json } from './json.js';
import type { Received } from './webhook-receiver.js';
import { WebhookReceiver } from './webhook-receiver.js';
import type { Desk, World } from './world.js';
import { unique } from './world.js';

type Reply = (delivery: Json, response: ServerResponse) => void | Promise<void>;

/** A bot's server, which answers nothing unless a test says otherwise. */
export class BotServer {
  private constructor(readonly receiver: WebhookReceiver) {}

  static async start(): Promise<BotServer> {
    return new BotServer(await WebhookReceiver.start());
  }

  /** Answers contacts' messages by this function. The end of a conversation is answered with 204. */
  reply(reply: Reply): void {
    this.receiver.respond = ({ body }, response) => {
      if (body.event === 'message.created' || body.event === 'test') return reply(body, response);
      response.writeHead(204).end();
    };
  }

  /** Answers each message with these ones. */
  answerWith(...contents: string[]): void {
    this.reply((_delivery, response) => sendJson(response, { messages: contents.map(content => ({ content })) }));
  }

  /** Deliveries of one event so far. */
  of(event: string): Received[] {
    return this.receiver.received.filter(({ body }) => body.event === event);
  }

  /** Waits for a delivery of the event about a conversation. */
  next(event: string, conversationId: string, index = 0, ms = 5_000): Promise<Received> {
    const about = ({ body }: Received) => body.event === event && body.conversation.id === conversationId;
    return this.receiver.find(delivery => this.receiver.received.filter(about).indexOf(delivery) === index, ms);
  }
}

export function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** A streamed answer of which the test decides each piece. */
export class StreamedReply {
  constructor(private readonly response: ServerResponse) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
  }

  send(event: 'delta' | 'message' | 'action', data: object): void {
    this.response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  end(): void {
    this.response.end();
  }

  /** Breaks the connection off. */
  cut(): void {
    this.response.destroy();
  }
}

export interface RoutedBot {
  id: string;
  secret: string;
  key: Caller;
}

/** Creates a bot with this server, and routes the desk's channel to it. */
export async function routeToBot(
  world: World,
  desk: Desk,
  server: BotServer | null,
  body: Record<string, unknown> = {},
): Promise<RoutedBot> {
  const key = await world.apiKey(desk);
  const made = await key.post('/v1/bots', {
    name: unique('Bot'),
    ...(server && { webhook_url: server.receiver.url }),
    ...body,
  });
  if (made.status !== 201) throw new Error(`no bot: ${JSON.stringify(made.body)}`);
  const { id, secret } = made.data;
  server?.receiver.secrets.push(secret as string);
  const routed = await key.patch(`/v1/channels/${desk.channelId}`, { routing: { bot_id: id } });
  if (routed.status !== 200) throw new Error(`not routed: ${JSON.stringify(routed.body)}`);
  return { id, secret, key };
}
