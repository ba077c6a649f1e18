import { defineError } from '../../kernel/domain-error.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { SerializedFrame } from '../../kernel/serialized-frame.js';
import { exceedsDepth } from '../schemas/field-rules.js';
import { measureJson } from './json-measure.js';

export const FrameMalformed = defineError('invalid', 'frame_malformed', 'A frame must be a JSON object with a `type`.');
export const FrameUnknown = defineError(
  'invalid',
  'frame_unknown',
  'This frame type is unknown or not allowed on this socket.',
);
export const FrameTooManyValues = defineError(
  'invalid',
  'frame_too_many_values',
  'A frame can contain at most 50 values, counted over all levels.',
);

const FRAME_VALUES = 50;
const DEPTH = 8;

type JsonObject = Record<string, unknown>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A frame from a client. Only the fields that a handler names are read or copied. */
export class ClientFrame {
  private readonly sources: readonly JsonObject[];

  constructor(
    readonly type: string,
    frame: JsonObject,
  ) {
    this.sources = [frame.data, frame.payload, frame].filter(isObject);
  }

  /** @returns the named fields, each from `data`, else `payload`, else the top level; missing fields are left out */
  pick(...names: readonly string[]): JsonObject {
    const fields: JsonObject = {};
    for (const name of names) {
      const source = this.sources.find(candidate => Object.hasOwn(candidate, name));
      if (source) fields[name] = source[name];
    }
    return fields;
  }
}

/**
 * Parses a frame. Values are counted in the text first, so that a frame with too many is never turned into objects.
 * @throws FrameMalformed, FrameTooManyValues
 */
export function parseFrame(text: string): ClientFrame {
  const { values, depth } = measureJson(text, { values: FRAME_VALUES, depth: DEPTH + 1 });
  if (depth > DEPTH + 1) throw new FrameMalformed();
  if (values > FRAME_VALUES) throw new FrameTooManyValues();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new FrameMalformed();
  }
  if (!isObject(parsed) || typeof parsed.type !== 'string' || exceedsDepth(parsed, DEPTH)) throw new FrameMalformed();
  return new ClientFrame(parsed.type, parsed);
}

/** @returns the `error` frame that reports the error to the client */
export function errorFrame(error: DomainError): SerializedFrame {
  const { code, message, details, data } = error;
  const text = JSON.stringify({ type: 'error', error: { code, message, ...data, ...(details ? { details } : {}) } });
  return text as SerializedFrame;
}
