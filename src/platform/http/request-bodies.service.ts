import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { DomainError } from '../../kernel/domain-error.js';
import { BodyTooLarge, MalformedRequest, RequestTimeout, Unavailable } from '../../kernel/errors.js';

/** Time limit for a request body to arrive. */
export const BODY_MS = 30_000;
/** Memory limit for the bodies of all requests together. */
export const ALL_BODIES_BYTES = 64 * 1024 * 1024;
const CHECK_MS = 1_000;
/** Chunks are concatenated at this number: a body sent byte by byte would otherwise take a hundred times its size. */
const MAX_CHUNKS = 64;

interface Arrival {
  response: Response;
  deadline: number;
}

interface Reading {
  bytes: number;
  end(error?: DomainError): void;
}

/**
 * Reads request bodies in bounded time and memory. A body that has not arrived after 30 s is 408. Beyond 64 MiB of all
 * bodies, the oldest one under way is 503, so that slow senders cannot block others.
 *
 * A body that no handler reads stays in the socket, which is closed 30 s after the request began.
 */
@Injectable()
export class RequestBodiesService implements OnApplicationShutdown {
  /** Requests whose body has not arrived completely, oldest first. */
  private readonly arrivals = new Map<Request, Arrival>();
  /** Oldest first. */
  private readonly readings = new Map<Request, Reading>();
  private readonly timer = setInterval(() => this.endLate(), CHECK_MS).unref();
  private bytes = 0;

  constructor() {
    this.track = this.track.bind(this);
  }

  /** Bytes buffered for bodies under way. */
  get bytesBuffered(): number {
    return this.bytes;
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Middleware that starts the time limit of a request with a body. */
  track(request: Request, response: Response, next: NextFunction): void {
    if (hasBody(request)) {
      this.arrivals.set(request, { response, deadline: performance.now() + BODY_MS });
      request.once('close', () => this.arrivals.delete(request));
    }
    next();
  }

  /** Leaves the time limit of a body to its reader. */
  release(request: Request): void {
    this.arrivals.delete(request);
  }

  /** Discards what is left of a body, for 30 s at most, so that its sender reads the response. */
  discard(request: Request, response: Response): void {
    if (request.complete || request.destroyed) return;
    this.arrivals.delete(request);
    this.arrivals.set(request, { response, deadline: performance.now() + BODY_MS });
    request.on('error', () => undefined).resume();
  }

  /**
   * Reads the raw body.
   * @throws BodyTooLarge, RequestTimeout, Unavailable @throws MalformedRequest when the sender disconnects
   */
  read(request: Request, maxBytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (request.destroyed) return reject(new MalformedRequest());
      let chunks: Buffer[] = [];
      const reading: Reading = {
        bytes: 0,
        end: error => {
          request.off('data', onData).off('end', onEnd).off('error', onAbort).off('close', onAbort);
          this.bytes -= reading.bytes;
          this.readings.delete(request);
          if (!error) return resolve(concat(chunks));
          // drains the rest of the body, so that the connection can be reused
          request.on('error', () => undefined).resume();
          reject(error);
        },
      };
      const onData = (chunk: Buffer): void => {
        if (reading.bytes + chunk.length > maxBytes) return reading.end(tooLarge(maxBytes));
        if (chunks.push(chunk) >= MAX_CHUNKS) chunks = [Buffer.concat(chunks)];
        reading.bytes += chunk.length;
        this.bytes += chunk.length;
        if (this.bytes > ALL_BODIES_BYTES) this.oldest?.end(new Unavailable());
      };
      const onEnd = (): void => reading.end();
      const onAbort = (): void => reading.end(new MalformedRequest());
      this.readings.set(request, reading);
      if (Number(request.headers['content-length'] ?? 0) > maxBytes) return reading.end(tooLarge(maxBytes));
      request.on('data', onData).once('end', onEnd).once('error', onAbort).once('close', onAbort);
    });
  }

  /** Ends requests whose body is late. */
  endLate(now = performance.now()): void {
    for (const [request, { response, deadline }] of this.arrivals) {
      if (deadline > now) return;
      const reading = this.readings.get(request);
      if (reading) reading.end(new RequestTimeout());
      else if (request.complete) this.arrivals.delete(request);
      else if (response.headersSent) request.socket.destroy();
    }
  }

  private get oldest(): Reading | undefined {
    return this.readings.values().next().value;
  }
}

export function hasBody(request: Request): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

export function tooLarge(maxBytes: number): DomainError {
  return new BodyTooLarge({ message: `The body is larger than ${maxBytes} bytes.` });
}

function concat(chunks: Buffer[]): Buffer {
  const [first, ...others] = chunks;
  return first && others.length === 0 ? first : Buffer.concat(chunks);
}
