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
