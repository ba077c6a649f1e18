import type { Json, JsonObject } from '../schemas/json.js';
import { reference } from './payloads.js';
import { reachableFrom } from './schemas.js';

export interface AsyncDocument {
  asyncapi: string;
  info: JsonObject;
  servers: JsonObject;
  defaultContentType: string;
  channels: Record<string, Channel>;
  operations: Record<string, JsonObject>;
  components: {
    messages: Record<string, JsonObject>;
    schemas: Record<string, JsonObject>;
    securitySchemes: Record<string, JsonObject>;
  };
  'x-close-codes': Json;
}

interface Channel {
  address: string;
  messages: Record<string, Message>;
  [more: string]: unknown;
}

/** One kind of frame, in one direction. */
export interface Message {
  name: string;
  summary: string;
  payload: JsonObject;
}

/** One WebSocket endpoint with all its frames. */
export interface SocketDescription {
  /** The kind of its clients, one word. */
  name: string;
  path: string;
  summary: string;
  /** JSON Schema of its query parameters. */
  query: JsonObject;
  /** Describes its `token`. */
  credential: string;
  received: Message[];
  sent: (Message & { answer: string | null })[];
  refusals: JsonObject[];
}

/** The only message that is not a frame: the HTTP response instead of the upgrade. */
const REFUSED = 'refused';

/** Describes the sockets as AsyncAPI 3.0, from the point of view of the service: `send` means server to client. */
export function writeAsyncDocument(
  info: { title: string; version: string; description: string },
  sockets: SocketDescription[],
  closeCodes: Json,
  schemas: Record<string, JsonObject>,
): AsyncDocument {
  const channels = Object.fromEntries(sockets.map(socket => [socket.name, channelOf(socket)]));
  const refused: JsonObject = {
    name: REFUSED,
    title: 'A refused handshake',
    summary: 'The HTTP response instead of the upgrade, in the standard failure envelope.',
    payload: reference('Failure'),
  };
  return {
    asyncapi: '3.0.0',
    info,
    servers: {
      service: {
        host: '{host}',
        protocol: 'wss',
        description: 'The host of the API.',
        variables: { host: { default: 'localhost:3000' } },
      },
    },
    defaultContentType: 'application/json',
    channels,
    operations: Object.assign({}, ...sockets.map(operationsOf)) as Record<string, JsonObject>,
    components: {
      messages: { [REFUSED]: refused },
      schemas: reachableFrom([channels, refused] as unknown as Json, schemas),
      securitySchemes: Object.fromEntries(
        sockets.map(({ name, credential }) => [
          name,
          { type: 'httpApiKey', in: 'query', name: 'token', description: credential },
        ]),
      ),
    },
    'x-close-codes': closeCodes,
  };
}

function channelOf({ path, summary, query, received, sent, refusals }: SocketDescription): Channel {
  return {
    address: path,
    summary,
    servers: [{ $ref: '#/servers/service' }],
    messages: Object.fromEntries([
      ...received.map(message => [message.name, message] as const),
      ...sent.map(({ answer: _answer, ...message }) => [sentKey(message.name), message] as const),
    ]),
    bindings: { ws: { method: 'GET', query, bindingVersion: '0.1.0' } },
    'x-refusals': { message: { $ref: `#/components/messages/${REFUSED}` }, codes: refusals },
  };
}

function operationsOf({ name, received, sent }: SocketDescription): Record<string, JsonObject> {
  const channel = { $ref: `#/channels/${name}` };
  const security = [{ $ref: `#/components/securitySchemes/${name}` }];
  const messages = (keys: string[]) => keys.map(key => ({ $ref: `#/channels/${name}/messages/${key}` }));
  const operations = sent.map(({ name: type, summary, answer }) => [
    `${name}.${type}`,
    {
      action: 'receive',
      channel,
      summary,
      security,
      messages: messages([sentKey(type)]),
      reply: { channel, messages: messages([...(answer === null ? [] : [answer]), 'error']) },
    },
  ]);
  const delivery = {
    action: 'send',
    channel,
    summary: `All frames that the service sends to sockets of ${name}s.`,
    security,
    messages: messages(received.map(message => message.name)),
  };
  return Object.fromEntries([[`${name}.hears`, delivery], ...operations]) as Record<string, JsonObject>;
}

/** Names the message of a client frame. A type used in both directions has different fields in each. */
function sentKey(type: string): string {
  return `said.${type}`;
}
