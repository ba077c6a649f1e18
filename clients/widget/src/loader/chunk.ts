import type { ChatModule } from '../seam.js';
import { retry } from './retry.js';

/** Waits (ms) before the next attempt. */
const RETRIES_MS = [500, 2_500, 6_000];

export interface Chunk {
  load(): Promise<ChatModule>;
  /** Called by a later loader. @param path of its chunk */
  adopt(path: string): void;
}

/**
 * Imports the chunk. During a rolling deployment the request may reach an instance that does not have the chunk of this
 * loader: the import is repeated, then the loader is read anew, which names the present chunk.
 * @param path of the chunk, relative to `baseUrl`
 */
export function createChunk(baseUrl: string, path: string): Chunk {
  let loading: Promise<ChatModule> | undefined;
  let present: string | undefined;

  /** Imported and not added as an element, which the Trusted Types of a page may forbid. */
  const load = (file: string): Promise<unknown> => import(/* @vite-ignore */ baseUrl + file);

  const attempt = async (count: number): Promise<unknown> => {
    if (count < RETRIES_MS.length) return load(count > 0 ? `${path}?retry=${count}` : path);
    await load(`widget.js?fresh=${Date.now()}`);
    if (!present) throw new Error('the chat could not be loaded');
    return load(present);
  };
  return {
    load: () =>
      (loading ??= (retry(attempt, RETRIES_MS) as Promise<ChatModule>).catch((error: unknown) => {
        loading = undefined;
        throw error;
      })),
    adopt: other => void (present = other),
  };
}
