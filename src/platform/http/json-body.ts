import { Readable } from 'node:stream';
import type { IncomingHttpHeaders } from 'node:http';
import express, { Request, RequestHandler, Response } from 'express';
import { MalformedJson, MalformedRequest, UnsupportedMediaType, ValidationFailed } from '../../kernel/errors.js';
import { exceedsCount, exceedsDepth } from './field-rules.js';
import type { RequestBodies } from './request-bodies.js';
import { hasBody, tooLarge } from './request-bodies.js';

/** The largest body by the kind of its route. */
export const JSON_BODY_BYTES = { authenticated: 256 * 1024, public: 32 * 1024 } as const;
const DEPTH = 32;
const VALUES = 10_000;

/** The form of nearly every body: not packed, and in the usual character set. */
const PLAIN = /^application\/json(?:; ?charset=utf-8)?$/i;
/** As body-parser reads it: a byte order mark is no part of the text, and broken characters are replaced. */
const DECODER = new TextDecoder('utf-8');

/**
 * Reads a JSON body: an object, not deeper than 32 levels (deeper ones end on the stack of whatever walks them next), of
 * at most 10,000 values (40,000 keys fit into 256 KiB, and validation takes a second for them, during which no other
 * request is served). No body is an empty object, so actions need no Content-Type.
 * @param most bytes, also once it is unpacked
 */
export async function readJsonBody(bodies: RequestBodies, request: Request, most: number): Promise<object> {
  if (!hasBody(request)) return {};
  if (!isPlain(request) && !request.is('application/json')) throw new UnsupportedMediaType();
  const bytes = await bodies.read(request, most);
  const body = isPlain(request) ? parsePlain(bytes) : await parseOther(request.headers, bytes, most);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ValidationFailed({ message: 'The body must be a JSON object.' });
  }
  if (exceedsDepth(body, DEPTH)) throw new MalformedJson({ message: `The body is deeper than ${DEPTH} levels.` });
  if (exceedsCount(body, VALUES)) throw new MalformedJson({ message: `The body holds more than ${VALUES} values.` });
  return body;
}

function isPlain({ headers }: Request): boolean {
  return headers['content-encoding'] === undefined && PLAIN.test(headers['content-type'] ?? '');
}

/** Without body-parser, which takes as long as the rest of a small request to look whether it must unpack or convert. */
function parsePlain(bytes: Buffer): unknown {
  try {
    return JSON.parse(DECODER.decode(bytes));
  } catch {
    throw new MalformedJson();
  }
}

const parsers = new Map<number, RequestHandler>();

function parserOf(most: number): RequestHandler {
  const known = parsers.get(most);
  if (known) return known;
  const parser = express.json({ limit: most, strict: false, inflate: true, type: () => true });
  parsers.set(most, parser);
  return parser;
}

/** body-parser unpacks and converts what has been read already. */
function parseOther(headers: IncomingHttpHeaders, bytes: Buffer, most: number): Promise<unknown> {
  const length = { 'content-length': String(bytes.length), 'transfer-encoding': undefined };
  const source = Object.assign(Readable.from([bytes]), { headers: { ...headers, ...length } });
  const request = source as unknown as Request;
  return new Promise((resolve, reject) => {
    void parserOf(most)(request, {} as Response, (error?: unknown) => {
      if (error) reject(translate(error as { type?: string }, most));
      else resolve(request.body);
    });
  });
}

/** What body-parser reports, as an error of ours. */
function translate(error: { type?: string }, most: number): Error {
  switch (error.type) {
    case 'entity.too.large':
      return tooLarge(most);
    case 'entity.parse.failed':
      return new MalformedJson();
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new UnsupportedMediaType();
    default:
      return new MalformedRequest();
  }
}
