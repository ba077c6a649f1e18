import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** Encodings that a build stores beside each file, best first, by the ending of the stored file. */
const ENCODINGS = { br: '.br', gzip: '.gz' } as const;

/** One form in which a file can be sent. */
interface Representation {
  encoding: keyof typeof ENCODINGS | 'identity';
  bytes: Buffer;
  /** Depends on the bytes alone, so that all instances of one build send the same. */
  etag: string;
}

/** A file of a front-end's build. */
export interface BuiltFile {
  /** The smallest first; the last one is not encoded. */
  representations: readonly Representation[];
}

/**
 * Reads a build into memory, by the path below its folder, such as `/a/b.js`. Null if the folder does not exist.
 *
 * The files are not read again: a build that replaces them under a running service would otherwise mix two versions.
 * Nothing outside the folder can be requested, because no request is mapped to a path on disk.
 */
export function readBuiltFiles(folder: string): ReadonlyMap<string, BuiltFile> | null {
  if (!existsSync(folder)) return null;
  const compressed = Object.values(ENCODINGS);
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !compressed.some(ending => entry.name.endsWith(ending)))
    .map(entry => join(entry.parentPath, entry.name));
  return new Map(paths.map(path => [`/${relative(folder, path)}`, readBuiltFile(path)]));
}

function readBuiltFile(path: string): BuiltFile {
  const encoded = (Object.keys(ENCODINGS) as (keyof typeof ENCODINGS)[])
    .filter(encoding => existsSync(path + ENCODINGS[encoding]))
    .map(encoding => readRepresentation(encoding, path + ENCODINGS[encoding]));
  return { representations: [...encoded, readRepresentation('identity', path)] };
}

/** Returns a small file that the service writes itself, such as a page. */
export function builtFileOf(text: string): BuiltFile {
  const bytes = Buffer.from(text);
  const encoded = [
    representationOf('br', brotliCompressSync(bytes)),
    representationOf('gzip', gzipSync(bytes)),
    representationOf('identity', bytes),
  ];
  return { representations: encoded };
}

function readRepresentation(encoding: Representation['encoding'], path: string): Representation {
  return representationOf(encoding, readFileSync(path));
}

function representationOf(encoding: Representation['encoding'], bytes: Buffer): Representation {
  return { encoding, bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}
