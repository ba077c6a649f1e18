import type { Json, JsonObject } from '../openapi/json.js';

/** Which of an event's places its frame names. */
export type EventSubject = 'conversation' | 'channel' | 'workspace';

const ID: JsonObject = { type: 'string', format: 'uuid' };
const CURSOR: JsonObject = {
  type: 'string',
  description: 'How far in the log this socket has heard everything; opaque, for `after`.',
};

/** The frame of a durable event. @param shape the name of its data's schema */
export function durablePayload(type: string, shape: string | null, about: EventSubject): JsonObject {
  const required = about === 'conversation' ? ['conversation_id', 'channel_id'] : [];
  const places: JsonObject = {
    ...(about === 'conversation' ? { conversation_id: ID } : {}),
    ...(about === 'workspace' ? {} : { channel_id: ID }),
  };
  return frame(
    type,
    {
      id: { ...ID, description: 'Of the event; repeats carry the same.' },
      cursor: CURSOR,
      timestamp: { type: 'string', format: 'date-time', examples: ['2026-01-31T09:30:00.123456Z'] },
      ...places,
      ...dataOf(shape),
    },
    ['id', 'cursor', 'timestamp', ...required],
  );
}

/** A frame of the moment, which may be about a conversation. */
export function ephemeralPayload(type: string, shape: string | null): JsonObject {
  return frame(type, shape === null ? {} : { conversation_id: ID, channel_id: ID, ...dataOf(shape) });
}

/** A frame from a client. @param shape the name of the schema of its fields */
export function sentPayload(type: string, shape: string | null): JsonObject {
  const said = frame(type, {});
  return shape === null ? said : { allOf: [said, reference(shape)] };
}

export function errorPayload(): JsonObject {
  return frame('error', { error: reference('FrameError') }, ['error']);
}

export function reference(shape: string): JsonObject {
  return { $ref: `#/components/schemas/${shape}` };
}

function dataOf(shape: string | null): JsonObject {
  return shape === null ? {} : { data: reference(shape) };
}

function frame(type: string, properties: JsonObject, required: string[] = []): JsonObject {
  const names: Json[] = ['type', ...required, ...('data' in properties ? ['data'] : [])];
  return { type: 'object', required: names, properties: { type: { type: 'string', const: type }, ...properties } };
}
