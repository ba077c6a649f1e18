import { extname } from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import type { BuiltFile } from './built-files.js';

/**
 * Sends the files of a build in the best encoding that the client accepts. It ignores `Range`, which HTTP allows and
 * no browser sends for a script.
 *
 * A path without a file is 404 and `no-store`: during a rolling deployment an instance of another version has the file,
 * and the client asks again.
 * @param cacheControl `Cache-Control` of a file that exists
 */
export function serveBuiltFiles(
  files: ReadonlyMap<string, BuiltFile>,
  cacheControl: (request: Request) => string,
): RequestHandler {
  return (request, response) => {
    const file = files.get(request.path);
    if (!file) return sendPlainText(response, 404, 'This file does not exist in this version of the service.');
    response.setHeader('Cache-Control', cacheControl(request));
    response.type(extname(request.path));
    sendBuiltFile(request, response, file);
  };
}

/** Answers in words, for a person who reads them. Nothing keeps the answer. */
export function sendPlainText(response: Response, status: number, text: string): void {
  response.setHeader('Cache-Control', 'no-store');
  response.status(status).type('text').send(`${text}\n`);
}

/** Sends a file in the best encoding that the client accepts, or 304. The caller has set type and caching. */
export function sendBuiltFile(request: Request, response: Response, { representations }: BuiltFile): void {
  const chosen = representations.find(({ encoding }) => request.acceptsEncodings(encoding)) ?? representations.at(-1);
  if (!chosen) throw new Error(`no representation of ${request.path}`);
  response.vary('Accept-Encoding');
  response.setHeader('ETag', chosen.etag);
  if (request.fresh) return void response.status(304).end();
  if (chosen.encoding !== 'identity') response.setHeader('Content-Encoding', chosen.encoding);
  response.setHeader('Content-Length', chosen.bytes.length);
  response.end(request.method === 'HEAD' ? undefined : chosen.bytes);
}
