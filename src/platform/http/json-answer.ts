import type { Response } from 'express';

/** Statuses whose responses never have a body. */
const BODILESS = new Set([204, 205, 304]);

/**
 * Sends a JSON response with fixed headers. It skips `response.json`, which looks up five settings and parses its own
 * headers again. Conditional requests still use express, which may respond 304.
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
