import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { DomainError } from '../../kernel/domain-error.js';
import { BodyTooLarge, MalformedRequest, RequestTimeout, Unavailable } from '../../kernel/errors.js';

/** A request with JSON has arrived whole by then. */
export const BODY_MS = 30_000;
/** Bytes of bodies that are being read, of all requests together. */
export const ALL_BODIES_BYTES = 64 * 1024 * 1024;
const CHECK_MS = 1_000;
/** So many pieces are joined: a body that comes byte by byte would else take a hundred times its size. */
const MAX_PARTS = 64;

interface Arrival {
  response: Response;
  deadline: number;
}

interface Reading {
  bytes: number;
  end(error?: DomainError): void;
}

/**
 * Reads the bodies of requests, in bounded time and memory. A body that has not arrived after 30 s is 408. Past 64 MiB of
 * all bodies, the one that has been read for longest is 503: a body that its sender holds back gives way to one that
 * arrives. A body that no handler reads is left in the socket; 30 s after its request began, the socket is closed.
 */
@Injectable()
export class RequestBodies implements OnApplicationShutdown {
  /** Requests whose body has not been read to its end, oldest first. */
  private readonly arrivals = new Map<Request, Arrival>();
  /** Oldest first. */
  private readonly readings = new Map<Request, Reading>();
  private readonly timer = setInterval(() => this.endLate(), CHECK_MS).unref();
  private bytes = 0;

  constructor() {
    this.track = this.track.bind(this);
  }

  /** Bytes that are held for bodies under way. */
  get bytesBuffered(): number {
    return this.bytes;
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Middleware: begins the time of a request that announces a body. */
  track(request: Request, response: Response, next: NextFunction): void {
    if (hasBody(request)) {
      this.arrivals.set(request, { response, deadline: performance.now() + BODY_MS });
      request.once('close', () => this.arrivals.delete(request));
    }
    next();
  }

  /**
   * The body as it was sent, at most `most` bytes.
   * @throws BodyTooLarge, RequestTimeout, Unavailable @throws MalformedRequest when its sender disconnects
   */
  read(request: Request, most: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (request.destroyed) return reject(new MalformedRequest());
      let parts: Buffer[] = [];
      const reading: Reading = {
        bytes: 0,
        end: error => {
          request.off('data', take).off('end', finish).off('error', cut).off('close', cut);
          this.bytes -= reading.bytes;
          this.readings.delete(request);
          if (!error) return resolve(joined(parts));
          // what still comes is read and dropped, or the connection could not be used again
          request.on('error', () => undefined).resume();
          reject(error);
        },
      };
      const take = (part: Buffer): void => {
        if (reading.bytes + part.length > most) return reading.end(tooLarge(most));
        if (parts.push(part) >= MAX_PARTS) parts = [Buffer.concat(parts)];
        reading.bytes += part.length;
        this.bytes += part.length;
        if (this.bytes > ALL_BODIES_BYTES) this.oldest?.end(new Unavailable());
      };
      const finish = (): void => reading.end();
      const cut = (): void => reading.end(new MalformedRequest());
      this.readings.set(request, reading);
      if (Number(request.headers['content-length'] ?? 0) > most) return reading.end(tooLarge(most));
      request.on('data', take).once('end', finish).once('error', cut).once('close', cut);
    });
  }

  /** Ends what has not arrived in its time. */
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

export function tooLarge(most: number): DomainError {
  return new BodyTooLarge({ message: `The body is larger than ${most} bytes.` });
}

function joined(parts: Buffer[]): Buffer {
  const [first, ...others] = parts;
  return first && others.length === 0 ? first : Buffer.concat(parts);
}
