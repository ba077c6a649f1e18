import { CLOSE, closeCodes } from './kernel/close-codes.js';
import type { DocumentedFrame, SocketRoute } from './modules/realtime/index.js';
import { framesFor, SOCKET_ROUTES } from './modules/realtime/index.js';
import type { AsyncDocument, Message, SocketDescription } from './platform/asyncapi/document.js';
import { writeAsyncDocument } from './platform/asyncapi/document.js';
import { durablePayload, errorPayload, ephemeralPayload, sentPayload } from './platform/asyncapi/payloads.js';
import { STATUS } from './platform/http/problem.js';
import { PAGE } from './platform/pages/layout.js';
import type { ApiDocument } from './platform/openapi/document.js';
import type { JsonObject } from './platform/openapi/json.js';
import { closeReasonFor } from './platform/sockets/upgrade-refusal.js';

const INTRODUCTION = `
Two addresses of WebSockets, JSON text frames with a \`type\`. What is said and done goes over REST; what happens is heard
here. A durable event is one frame with \`id\` and \`cursor\`; \`?after=<cursor>\` tells what was missed, and what is told
twice carries the same \`id\`. Frames of the moment have neither. Unknown types and unknown fields are to be ignored: new
ones may come. Close codes from 4000 mean "connect again", from 4500 "stop".

To read: [the realtime guide](${PAGE.realtime}), from handshake to close codes, and
[events and frames](${PAGE.events}). The REST API: [reference](${PAGE.reference}), [openapi.json](${PAGE.openapi}).
`.trim();

/** The sockets of the service, written from the registry of frames; shapes are those of the API reference. */
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
  const { received, sent } = framesFor(audience);
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
  summary: 'Answers a frame that could not be handled; the tenth in a minute that cannot be read ends the socket.',
  payload: errorPayload(),
};

function receivedMessage(frame: DocumentedFrame): Message {
  const { type, schemaName, about } = frame;
  return message(frame, about === null ? ephemeralPayload(type, schemaName) : durablePayload(type, schemaName, about));
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
