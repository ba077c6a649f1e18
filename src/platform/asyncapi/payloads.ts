import type { Json, JsonObject } from '../schemas/json.js';

/** The names of the ids beside the data of a frame, which say what the frame is about. */
export interface FrameIds {
  always: readonly string[];
  sometimes: readonly string[];
}

const ID: JsonObject = { type: 'string', format: 'uuid' };
const CURSOR: JsonObject = {
  type: 'string',
  description:
    'The position in the event log up to which this socket has received everything. Opaque; pass it as `after`.',
};

/**
 * The frame of a durable event.
 * @param schemaName the name of its data's schema
 * @param alsoEphemeral the type is also one of ephemeral frames, which have no id and no cursor
 */
export function durablePayload(
  type: string,
  schemaName: string | null,
  ids: FrameIds,
  alsoEphemeral = false,
): JsonObject {
  return frame(
    type,
    {
      id: { ...ID, description: 'The id of the event. Repeated frames have the same id.' },
      cursor: CURSOR,
      timestamp: { type: 'string', format: 'date-time', examples: ['2026-01-31T09:30:00.123456Z'] },
      ...idFields(ids),
      ...dataOf(schemaName),
    },
    alsoEphemeral ? [] : ['id', 'cursor', 'timestamp', ...ids.always],
  );
}

/** An ephemeral frame. One without data has no ids either. */
export function ephemeralPayload(type: string, schemaName: string | null, ids: FrameIds): JsonObject {
  return frame(type, schemaName === null ? {} : { ...idFields(ids), ...dataOf(schemaName) });
}

/** A frame from a client. @param schemaName the name of the schema of its fields */
export function sentPayload(type: string, schemaName: string | null): JsonObject {
  const base = frame(type, {});
  return schemaName === null ? base : { allOf: [base, reference(schemaName)] };
}

export function errorPayload(): JsonObject {
  return frame('error', { error: reference('FrameError') }, ['error']);
}

export function reference(schemaName: string): JsonObject {
  return { $ref: `#/components/schemas/${schemaName}` };
}

function idFields({ always, sometimes }: FrameIds): JsonObject {
  return Object.fromEntries([...always, ...sometimes].map(name => [name, ID]));
}

function dataOf(schemaName: string | null): JsonObject {
  return schemaName === null ? {} : { data: reference(schemaName) };
}

function frame(type: string, properties: JsonObject, required: string[] = []): JsonObject {
  const names: Json[] = ['type', ...required, ...('data' in properties ? ['data'] : [])];
  return { type: 'object', required: names, properties: { type: { type: 'string', const: type }, ...properties } };
}
