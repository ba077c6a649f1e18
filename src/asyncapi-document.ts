import { EVENT_REGISTRY } from './events.js';
import { CLOSE, closeCodes } from './kernel/close-codes.js';
import type { DocumentedFrame, SocketRoute } from './modules/realtime/index.js';
import { framesFor, SOCKET_ROUTES } from './modules/realtime/index.js';
import type { AsyncDocument, Message, SocketDescription } from './platform/asyncapi/document.js';
import { writeAsyncDocument } from './platform/asyncapi/document.js';
import type { FrameIds } from './platform/asyncapi/payloads.js';
import { durablePayload, errorPayload, ephemeralPayload, sentPayload } from './platform/asyncapi/payloads.js';
import { STATUS } from './platform/http/problem.js';
import { PAGE } from './platform/pages/layout.js';
import type { ApiDocument } from './platform/openapi/document.js';
import type { JsonObject } from './platform/schemas/json.js';
import { closeReasonFor } from './platform/sockets/upgrade-refusal.js';

const INTRODUCTION = `
Two WebSocket endpoints with JSON text frames that have a \`type\`. Clients write through the REST API and receive
events here. A durable event is one frame with an \`id\` and a \`cursor\`. Connect with \`?after=<cursor>\` to receive
missed events; an event that is sent twice has the same \`id\`. Ephemeral frames have neither. Ignore unknown types and
fields: new ones may be added. After close codes from 4000, connect again; after codes from 4500, stop.

See also [the realtime guide](${PAGE.realtime}), from handshake to close codes, and
[events and frames](${PAGE.events}). The REST API: [reference](${PAGE.reference}), [openapi.json](${PAGE.openapi}).
`.trim();

/** Builds the AsyncAPI document from the registry of frames. It uses the schemas of the OpenAPI document. */
export function asyncDocument(api: ApiDocument): AsyncDocument {
  return writeAsyncDocument(
    {
      title: 'Support chat platform: realtime',
      version: '1',
      description: INTRODUCTION,
    },
    [describe('visitor', SOCKET_ROUTES.visitor), describe('agent', SOCKET_ROUTES.agent)],
    closeCodes().map(({ code, then, why }) => ({ code, then, why })),
    api.components.schemas,
  );
}

function describe(audience: 'visitor' | 'agent', { path, summary, query, refusals }: SocketRoute): SocketDescription {
  const { received, sent } = framesFor(EVENT_REGISTRY, audience);
  return {
    name: audience,
    path,
    summary,
    query: querySchema(query),
    credential: query.token?.description ?? '',
    received: [...received.map(receivedMessage), ERROR],
    sent: sent.map(frame => ({
      ...message(frame, sentPayload(frame.type, frame.schemaName)),
      answer: frame.answer,
    })),
    refusals: refusals.map(refusal => ({
      status: STATUS[refusal.kind],
      code: refusal.code,
      close: CLOSE[closeReasonFor(new refusal())],
      meaning: refusal.summary,
    })),
  };
}

const ERROR: Message = {
  name: 'error',
  summary: 'Answers a frame that could not be handled. The tenth malformed frame within a minute closes the socket.',
  payload: errorPayload(),
};

/** The ids in the frame of an event, by what it is about. */
const FRAME_IDS: Record<NonNullable<DocumentedFrame['about']> | 'ephemeral', FrameIds> = {
  conversation: { always: ['conversation_id', 'channel_id'], sometimes: [] },
  channel: { always: [], sometimes: ['channel_id'] },
  workspace: { always: [], sometimes: [] },
  ephemeral: { always: [], sometimes: ['conversation_id', 'channel_id'] },
};

function receivedMessage(frame: DocumentedFrame): Message {
  const { type, schemaName, about, alsoEphemeral } = frame;
  const payload =
    about === null
      ? ephemeralPayload(type, schemaName, FRAME_IDS.ephemeral)
      : durablePayload(type, schemaName, FRAME_IDS[about], alsoEphemeral);
  return message(frame, payload);
}

function message({ type, summary }: DocumentedFrame, payload: JsonObject): Message {
  return { name: type, summary, payload };
}

function querySchema(query: SocketRoute['query']): JsonObject {
  const properties = Object.entries(query).map(([name, { description, id, values }]) => [
    name,
    { type: 'string', description, ...(id ? { format: 'uuid' } : {}), ...(values ? { enum: [...values] } : {}) },
  ]);
  return { type: 'object', required: ['token'], properties: Object.fromEntries(properties) as JsonObject };
}
