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

/** Runs `work` while no other tab of the browser runs work of this name. Without Web Locks it runs at once. */
export async function inOneTab<T>(name: string, work: () => Promise<T>): Promise<T> {
  const locks = locksOfPage();
  if (!locks) return work();
  let hasLock = false;
  const run = (): Promise<T> => {
    hasLock = true;
    return work();
  };
  try {
    return (await locks.request(name, { signal: AbortSignal.timeout(LOCK_PATIENCE_MS) }, run)) as T;
  } catch (error) {
    if (hasLock) throw error;
    return work();
  }
}
