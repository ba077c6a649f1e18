import express, { NextFunction, Request, RequestHandler, Response } from 'express';
import {
  BodyTooLarge,
  MalformedJson,
  MalformedRequest,
  UnsupportedMediaType,
  ValidationFailed,
} from '../../kernel/errors.js';
import { exceedsCount, exceedsDepth } from './field-rules.js';

export const JSON_BODY_BYTES = 256 * 1024;
const DEPTH = 32;
const VALUES = 10_000;

/** What body-parser reports, as an error of ours. */
function translate(error: { type?: string }): Error {
  switch (error.type) {
    case 'entity.too.large':
      return new BodyTooLarge({ message: `The body is larger than ${JSON_BODY_BYTES} bytes.` });
    case 'entity.parse.failed':
      return new MalformedJson();
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new UnsupportedMediaType();
    default:
      return new MalformedRequest();
  }
}

function hasBody(request: Request): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

function refusalOf(body: object): Error | undefined {
  if (exceedsDepth(body, DEPTH)) return new MalformedJson({ message: `The body is deeper than ${DEPTH} levels.` });
  if (exceedsCount(body, VALUES)) return new MalformedJson({ message: `The body holds more than ${VALUES} values.` });
  return undefined;
}

/**
 * Reads JSON bodies: 256 KiB, an object, not deeper than 32 levels (deeper ones end on the stack of whatever walks
 * them next), of at most 10,000 values (40,000 keys fit into 256 KiB, and validation takes a second for them, during
 * which nobody else is served). No body is an empty object, so actions need no Content-Type.
 */
export function jsonBody(): RequestHandler {
  const read = express.json({ limit: JSON_BODY_BYTES, strict: false, inflate: true, type: 'application/json' });
  return (request: Request, response: Response, next: NextFunction): void => {
    if (!hasBody(request)) {
      request.body = {};
      return next();
    }
    if (!request.is('application/json')) return next(new UnsupportedMediaType());
    read(request, response, (error?: unknown) => {
      if (error) return next(translate(error as { type?: string }));
      const body: unknown = request.body;
      if (typeof body !== 'object' || body === null || Array.isArray(body)) {
        return next(new ValidationFailed({ message: 'The body must be a JSON object.' }));
      }
      next(refusalOf(body));
    });
  };
}
