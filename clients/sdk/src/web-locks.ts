import { sleep } from './backoff.js';

/** The parts of the Web Locks API that this SDK uses. */
export interface Locks {
  request(
    name: string,
    options: { signal?: AbortSignal; steal?: boolean },
    work: () => Promise<unknown>,
  ): Promise<unknown>;
}

/** Returns the page's Web Locks; undefined outside of a page, and on a page without https. */
export function locksOfPage(): Locks | undefined {
  const { navigator } = globalThis as { navigator?: { locks?: Locks } };
  return 'document' in globalThis ? navigator?.locks : undefined;
}

/** A tab that was stopped during its work must not stop the others. */
const LOCK_PATIENCE_MS = 20_000;
/** A browser copies what one tab has written to a storage to the other tabs a moment after the next lock is granted. */
const COPY_MS = 200;

/**
 * Runs `work` while no other tab of the browser runs work of this name. The next tab finds in its storage what `work`
 * has written. Without Web Locks it runs at once.
 */
export async function inOneTab<T>(name: string, work: () => Promise<T>): Promise<T> {
  const locks = locksOfPage();
  if (!locks) return work();
  return new Promise<T>(resolve => {
    let running: Promise<T> | undefined;
    const run = (): Promise<T> => {
      running = work();
      resolve(running);
      return running;
    };
    const runAndWait = async (): Promise<void> => {
      await run();
      await sleep(COPY_MS);
    };
    locks.request(name, { signal: AbortSignal.timeout(LOCK_PATIENCE_MS) }, runAndWait).catch(() => {
      if (!running) void run();
    });
  });
}
