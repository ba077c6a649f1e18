import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import type { BusboyHeaders, BusboyInstance } from '@fastify/busboy';
import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import type { Request } from 'express';
import { MalformedRequest, RequestTimeout, ValidationFailed } from '../../kernel/errors.js';
import type { IncomingFile, IncomingUpload } from '../files/incoming-upload.js';
import { RequestBodiesService } from './request-bodies.service.js';

/** Time limit for a whole upload. */
export const UPLOAD_MS = 10 * 60_000;
/** Time without a byte after which an upload ends. */
export const SILENCE_MS = 20_000;
const CHECK_MS = 1_000;
const LIMITS = { files: 1, fields: 10, fieldSize: 1024, parts: 12, headerPairs: 20, headerSize: 8 * 1024 };

interface Upload {
  request: Request;
  deadline: number;
  bytesRead: number;
  lastByteAt: number;
  end(error: Error): void;
}

/**
 * Reads the one file of a `multipart/form-data` body as a stream. An upload ends with 408 after 10 minutes, and after
 * 20 seconds without a byte. Other fields are ignored.
 */
@Injectable()
export class FileUploadsService implements OnApplicationShutdown {
  private readonly uploads = new Set<Upload>();
  private readonly timer = setInterval(() => this.endLate(), CHECK_MS).unref();

  constructor(private readonly bodies: RequestBodiesService) {}

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Opens the upload of a request without reading its body. */
  open(request: Request): IncomingUpload {
    const length = request.headers['content-length'];
    const declaredBytes = length === undefined ? null : Number(length);
    const received = { bytes: 0 };
    return {
      declaredBytes,
      get receivedBytes() {
        return received.bytes;
      },
      receive: store => this.receive(request, received, store),
    };
  }

  /** After an error, what is left of the body is discarded, so that the client reads the response. */
  private async receive<T>(
    request: Request,
    received: { bytes: number },
    store: (file: IncomingFile) => Promise<T>,
  ): Promise<T> {
    this.bodies.release(request);
    const parser = parserFor(request);
    const file: { bytes?: Readable; stored?: Promise<T> } = {};
    const upload = this.begin(request);
    try {
      await new Promise<void>((resolve, reject) => {
        upload.end = reject;
        parser.on('file', (_field, stream, name) => {
          // a stream that `store` has destroyed is not malformed: `store` says why
          file.bytes = stream.on('error', () => stream.destroyed || reject(new MalformedRequest()));
          file.stored = store({ name: (name as string | undefined) ?? '', bytes: stream });
          file.stored.catch(reject);
        });
        parser.once('filesLimit', () => reject(fileFault('Send one file only.')));
        parser.once('finish', resolve);
        parser.on('error', () => reject(new MalformedRequest()));
        request.once('close', () => {
          if (!request.complete) reject(new MalformedRequest());
        });
        request.on('error', () => reject(new MalformedRequest()));
        request.on('data', ({ length }: Buffer) => (received.bytes += length));
        request.pipe(parser);
      });
      if (!file.stored) throw fileFault('Send a file.');
      return await file.stored;
    } catch (error) {
      request.unpipe(parser);
      file.bytes?.destroy(error as Error);
      await file.stored?.catch(() => undefined);
      throw error;
    } finally {
      this.uploads.delete(upload);
      if (request.res) this.bodies.discard(request, request.res);
    }
  }

  /** Ends uploads that are late or silent. A sender that waits for the service is not silent. */
  endLate(now = performance.now()): void {
    for (const upload of this.uploads) {
      const { bytesRead } = upload.request.socket;
      if (bytesRead !== upload.bytesRead || upload.request.isPaused())
        Object.assign(upload, { bytesRead, lastByteAt: now });
      if (now > upload.deadline || now > upload.lastByteAt + SILENCE_MS) upload.end(new RequestTimeout());
    }
  }

  private begin(request: Request): Upload {
    const now = performance.now();
    const upload = { request, deadline: now + UPLOAD_MS, bytesRead: 0, lastByteAt: now, end: () => undefined };
    this.uploads.add(upload);
    return upload;
  }
}

/** @throws MalformedRequest for a body without a boundary */
function parserFor({ headers }: Request): BusboyInstance {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits: LIMITS });
  } catch {
    throw new MalformedRequest();
  }
}

function fileFault(message: string): Error {
  return new ValidationFailed({ details: [{ field: 'file', code: 'invalid', message }] });
}
