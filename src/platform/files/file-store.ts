import type { Readable } from 'node:stream';

/** Bytes of a file: both ends are included. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Keeps files under keys that the service makes: a folder and a name. A file is complete or not there; a key is written once.
 *
 * Every method throws `Unavailable` when the store is full or cannot be reached.
 */
export abstract class FileStore {
  /** `disk` or `s3`; a label of metrics. */
  abstract readonly kind: string;

  /** False if the store could not be used when the service started. */
  abstract readonly usable: boolean;

  /** Stores a local file. The local file may be moved away; the caller removes what is left of it. */
  abstract put(key: string, localFile: string, contentType: string): Promise<void>;

  /** Opens the file, or a range of it, as a stream. The range lies within the file. @returns null if there is none */
  abstract open(key: string, range?: ByteRange): Promise<Readable | null>;

  /** Removes the file. Does nothing if there is none. */
  abstract remove(key: string): Promise<void>;
}
