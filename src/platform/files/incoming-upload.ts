import type { Readable } from 'node:stream';

/** A file whose bytes are still arriving. */
export interface IncomingFile {
  /** As the client sent it, without folders; empty if it sent none. */
  name: string;
  bytes: Readable;
}

/** An upload whose body has not been read yet. */
export interface IncomingUpload {
  /** Size of the body, which is a little more than its file; null if the client does not say it. */
  declaredBytes: number | null;
  /** How much of the body has arrived. */
  readonly receivedBytes: number;
  /**
   * Hands the file to `store`, which reads all of its bytes. Resolves once the whole body has arrived.
   * @throws DomainError for a body that is late, cut or malformed, and what `store` throws
   */
  receive<T>(store: (file: IncomingFile) => Promise<T>): Promise<T>;
}
