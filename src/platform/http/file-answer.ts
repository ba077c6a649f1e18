import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import parseRange from 'range-parser';
import type { ByteRange } from '../files/file-store.js';

/** A stored file to answer with. */
export interface FileAnswer {
  name: string;
  contentType: string;
  /** null if it is not known; then ranges are not offered. */
  size: number | null;
  etag: string;
  /** `inline` lets a browser show the file; the other value makes it download the file (RFC 6266). */
  disposition: string;
  open(range?: ByteRange): Promise<Readable>;
}

/** Time in which a reader must take another byte. */
const STALL_MS = 30_000;
const CHECK_MS = 5_000;
/** Time for the whole file: one that trickles keeps a file or a connection to the store open. */
const MAX_MS = 3_600_000;

/**
 * Answers with a file, or the one range that the request asks for, as fast as the reader takes it. Several ranges are
 * answered with the whole file, as HTTP allows.
 */
export async function sendFile(request: Request, response: Response, file: FileAnswer): Promise<void> {
  const isKnown = request.headers['if-none-match'] === file.etag;
  const range = isKnown ? null : rangeOf(request, file);
  const isHeadAlone = isKnown || range === 'unsatisfiable' || request.method === 'HEAD';
  // before any header is set: a failure has others
  const bytes = isHeadAlone ? null : await file.open(range ?? undefined);
  setHeaders(response, file);
  if (isKnown) return void response.status(304).end();
  if (range === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${file.size}`);
    return void response.status(416).end();
  }
  const length = range ? range.end - range.start + 1 : file.size;
  if (range) response.status(206).setHeader('Content-Range', `bytes ${range.start}-${range.end}/${file.size}`);
  if (length !== null) response.setHeader('Content-Length', length);
  if (bytes) await stream(bytes, response);
  else response.end();
}

function setHeaders(response: Response, { name, contentType, size, etag, disposition }: FileAnswer): void {
  const charset = contentType.startsWith('text/') ? '; charset=utf-8' : '';
  response.setHeader('Content-Type', `${contentType}${charset}`);
  response.setHeader('Content-Disposition', `${disposition}; ${fileName(name)}`);
  response.setHeader('Cache-Control', 'private, no-cache');
  response.setHeader('ETag', etag);
  if (size !== null) response.setHeader('Accept-Ranges', 'bytes');
}

/** The name in ASCII, and as it is (RFC 6266). */
function fileName(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    mark => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** @returns null for the whole file */
function rangeOf({ headers }: Request, { size, etag }: FileAnswer): ByteRange | 'unsatisfiable' | null {
  const { range, 'if-range': ifRange } = headers;
  if (range === undefined || size === null || (ifRange !== undefined && ifRange !== etag)) return null;
  const ranges = parseRange(size, range, { combine: true });
  if (ranges === -1) return 'unsatisfiable';
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return null;
  return ranges[0] ?? null;
}

/** Copies with backpressure. Ends a response whose reader has stopped, because it keeps a file or a connection open. */
async function stream(bytes: Readable, response: Response): Promise<void> {
  const socket = response.socket;
  let sent = -1;
  const begunAt = performance.now();
  let movedAt = begunAt;
  const timer = setInterval(() => {
    const now = performance.now();
    const written = (socket?.bytesWritten ?? 0) - (socket?.writableLength ?? 0);
    if (written !== sent) [sent, movedAt] = [written, now];
    if (now - movedAt > STALL_MS || now - begunAt > MAX_MS) response.destroy();
  }, CHECK_MS).unref();
  try {
    await pipeline(bytes, response);
  } catch {
    // a reader that leaves is no fault; a store that fails cuts the response, so that nobody takes it for complete
    response.destroy();
  } finally {
    clearInterval(timer);
  }
}
