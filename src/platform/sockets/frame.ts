import { defineError } from '../../kernel/domain-error.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { FrameText } from '../../kernel/frame-text.js';
import { exceedsDepth } from '../http/field-rules.js';

export const FrameMalformed = defineError('invalid', 'frame_malformed', 'A frame is a JSON object with a type.');
export const FrameUnknown = defineError('invalid', 'frame_unknown', 'There is no frame of this type.');

/** A frame from a client: its type, and its fields wherever the client put them. */
export interface ClientFrame {
  type: string;
  fields: Record<string, unknown>;
}

const DEPTH = 8;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a frame whose fields stand at the top, under `data` or under `payload`. @throws FrameMalformed */
export function parseFrame(text: string): ClientFrame {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new FrameMalformed();
  }
  if (!isObject(parsed) || typeof parsed.type !== 'string' || exceedsDepth(parsed, DEPTH)) throw new FrameMalformed();
  const { type, data, payload, ...top } = parsed;
  return { type, fields: { ...top, ...(isObject(payload) ? payload : {}), ...(isObject(data) ? data : {}) } };
}

/** The frame that answers what could not be done. */
export function errorFrame(error: DomainError): FrameText {
  const { code, message, details, data } = error;
  const text = JSON.stringify({ type: 'error', error: { code, message, ...data, ...(details ? { details } : {}) } });
  return text as FrameText;
}
