import type { Json, JsonObject } from '../openapi/json.js';
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

/** One address of sockets, and all that passes there. */
export interface SocketDescription {
  /** Of its clients, in one word. */
  name: string;
  path: string;
  summary: string;
  /** JSON Schema of the parameters of its query. */
  query: JsonObject;
  /** What its `token` is. */
  credential: string;
  received: Message[];
  sent: (Message & { answer: string | null })[];
  refusals: JsonObject[];
}

/** The one message that is no frame: what is answered instead of the upgrade. */
const REFUSED = 'refused';

/** The sockets as AsyncAPI 3.0, told from the service: it sends what clients hear, and receives what they say. */
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
    summary: 'Answered over HTTP instead of the upgrade, in the envelope of every failure.',
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

function channelOf({ path, summary, query, received: heard, sent: said, refusals }: SocketDescription): Channel {
  return {
    address: path,
    summary,
    servers: [{ $ref: '#/servers/service' }],
    messages: Object.fromEntries([
      ...heard.map(message => [message.name, message] as const),
      ...said.map(({ answer: _answer, ...message }) => [sentKey(message.name), message] as const),
    ]),
    bindings: { ws: { method: 'GET', query, bindingVersion: '0.1.0' } },
    'x-refusals': { message: { $ref: `#/components/messages/${REFUSED}` }, codes: refusals },
  };
}

function operationsOf({ name, received: heard, sent: said }: SocketDescription): Record<string, JsonObject> {
  const channel = { $ref: `#/channels/${name}` };
  const security = [{ $ref: `#/components/securitySchemes/${name}` }];
  const messages = (keys: string[]) => keys.map(key => ({ $ref: `#/channels/${name}/messages/${key}` }));
  const operations = said.map(({ name: type, summary, answer }) => [
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
  const hearing = {
    action: 'send',
    channel,
    summary: `All that the service tells a socket of ${name}s.`,
    security,
    messages: messages(heard.map(message => message.name)),
  };
  return Object.fromEntries([[`${name}.hears`, hearing], ...operations]) as Record<string, JsonObject>;
}

/** A type that goes both ways is two messages: what is said has other fields than what is heard. */
export function sentKey(type: string): string {
  return `said.${type}`;
}
