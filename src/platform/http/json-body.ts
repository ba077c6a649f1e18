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

/** What is neither a packed body nor one of unknown length or in another alphabet: nearly every one. */
const PLAIN = /^application\/json(?:; ?charset=utf-8)?$/i;

function isPlain({ headers }: Request): boolean {
  return (
    headers['transfer-encoding'] === undefined &&
    headers['content-encoding'] === undefined &&
    Number(headers['content-length']) <= JSON_BODY_BYTES &&
    PLAIN.test(headers['content-type'] ?? '')
  );
}

/**
 * Reads what `isPlain`: Node gives us as many bytes as were announced, and all that body-parser does besides, to look
 * whether it must unpack, count or convert, takes as long as the rest of a small request.
 */
function readPlain(request: Request, done: (error?: Error) => void): void {
  const parts: Buffer[] = [];
  // hung up in the middle of it: 'end' does not come
  const cut = () => done(new MalformedRequest());
  request.once('error', cut);
  request.on('data', (part: Buffer) => parts.push(part));
  request.once('end', () => {
    request.off('error', cut);
    const bytes = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    try {
      request.body = JSON.parse(DECODER.decode(bytes));
    } catch {
      return done(new MalformedJson());
    }
    done();
  });
}

/** As body-parser reads it: a byte order mark is no part of the text, and broken characters are replaced. */
const DECODER = new TextDecoder('utf-8');

/**
 * Reads JSON bodies: 256 KiB, an object, not deeper than 32 levels (deeper ones end on the stack of whatever walks
 * them next), of at most 10,000 values (40,000 keys fit into 256 KiB, and validation takes a second for them, during
 * which nobody else is served). No body is an empty object, so actions need no Content-Type.
 */
export function jsonBody(): RequestHandler {
  const json = express.json({ limit: JSON_BODY_BYTES, strict: false, inflate: true, type: 'application/json' });
  return (request: Request, response: Response, next: NextFunction): void => {
    if (!hasBody(request)) {
      request.body = {};
      return next();
    }
    const check = (error?: Error): void => {
      if (error) return next(error);
      const body: unknown = request.body;
      if (typeof body !== 'object' || body === null || Array.isArray(body)) {
        return next(new ValidationFailed({ message: 'The body must be a JSON object.' }));
      }
      next(refusalOf(body));
    };
    if (isPlain(request)) return readPlain(request, check);
    if (!request.is('application/json')) return next(new UnsupportedMediaType());
    json(request, response, (error?: unknown) => check(error ? translate(error as { type?: string }) : undefined));
  };
}
