import { Readable } from 'node:stream';
import type { IncomingHttpHeaders } from 'node:http';
import express, { Request, RequestHandler, Response } from 'express';
import { MalformedJson, MalformedRequest, UnsupportedMediaType, ValidationFailed } from '../../kernel/errors.js';
import { exceedsCount, exceedsDepth } from '../schemas/field-rules.js';
import type { RequestBodiesService } from './request-bodies.service.js';
import { hasBody, tooLarge } from './request-bodies.service.js';

/** The maximum body size by kind of route. */
export const JSON_BODY_BYTES = { authenticated: 256 * 1024, public: 32 * 1024 } as const;
const DEPTH = 32;
const VALUES = 10_000;

/** The content type of nearly every body. */
const PLAIN = /^application\/json(?:; ?charset=utf-8)?$/i;
/** Decodes like body-parser: drops a byte order mark and replaces invalid characters. */
const DECODER = new TextDecoder('utf-8');

/**
 * Reads a JSON object of at most 32 levels and 10,000 values. A missing body is an empty object, so actions need no
 * Content-Type.
 *
 * Deeper values could overflow the stack of recursive code. 40,000 keys would fit into 256 KiB, and validating them
 * would block the process for a second.
 * @param maxBytes also the limit after decompression
 */
export async function readJsonBody(bodies: RequestBodiesService, request: Request, maxBytes: number): Promise<object> {
  if (!hasBody(request)) return {};
  if (!isPlain(request) && !request.is('application/json')) throw new UnsupportedMediaType();
  const bytes = await bodies.read(request, maxBytes);
  const body = isPlain(request) ? parsePlain(bytes) : await parseOther(request.headers, bytes, maxBytes);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ValidationFailed({ message: 'The body must be a JSON object.' });
  }
  if (exceedsDepth(body, DEPTH))
    throw new MalformedJson({ message: `The body is nested deeper than ${DEPTH} levels.` });
  if (exceedsCount(body, VALUES)) throw new MalformedJson({ message: `The body contains more than ${VALUES} values.` });
  return body;
}

function isPlain({ headers }: Request): boolean {
  return headers['content-encoding'] === undefined && PLAIN.test(headers['content-type'] ?? '');
}

/** Parses without body-parser, whose checks for compression and charset take as long as the rest of a small request. */
function parsePlain(bytes: Buffer): unknown {
  try {
    return JSON.parse(DECODER.decode(bytes));
  } catch {
    throw new MalformedJson();
  }
}

const parsers = new Map<number, RequestHandler>();

function parserFor(maxBytes: number): RequestHandler {
  const known = parsers.get(maxBytes);
  if (known) return known;
  const parser = express.json({ limit: maxBytes, strict: false, inflate: true, type: () => true });
  parsers.set(maxBytes, parser);
  return parser;
}

/** Decompresses, decodes and parses a body with body-parser. */
function parseOther(headers: IncomingHttpHeaders, bytes: Buffer, maxBytes: number): Promise<unknown> {
  const length = { 'content-length': String(bytes.length), 'transfer-encoding': undefined };
  const source = Object.assign(Readable.from([bytes]), { headers: { ...headers, ...length } });
  const request = source as unknown as Request;
  return new Promise((resolve, reject) => {
    void parserFor(maxBytes)(request, {} as Response, (error?: unknown) => {
      if (error) reject(translate(error as { type?: string }, maxBytes));
      else resolve(request.body);
    });
  });
}

/** Maps an error of body-parser to a domain error. */
function translate(error: { type?: string }, maxBytes: number): Error {
  switch (error.type) {
    case 'entity.too.large':
      return tooLarge(maxBytes);
    case 'entity.parse.failed':
      return new MalformedJson();
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new UnsupportedMediaType();
    default:
      return new MalformedRequest();
  }
}
