import type { Response } from 'express';

/** Statuses that express answers without a body, whatever it is given. */
const BODILESS = new Set([204, 205, 304]);

/**
 * Answers a JSON text. express does the same by five look-ups of its settings and by reading back, parsing and writing
 * anew each header that it sets; ours are fixed. What is conditional is left to express, which may answer it with 304.
 */
export function answerJson(response: Response, body: object): void {
  const { headers, method } = response.req;
  const conditional = headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined;
  if (conditional || BODILESS.has(response.statusCode) || response.hasHeader('Content-Type')) {
    response.json(body);
    return;
  }
  const text = JSON.stringify(body);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  if (method === 'HEAD') response.end();
  else response.end(text, 'utf8');
}
