interface EventSource {
  addEventListener(type: string, listener: (event: { persisted?: boolean }) => void): void;
  removeEventListener(type: string, listener: (event: { persisted?: boolean }) => void): void;
}

/** The parts of a page that report that it continues after a pause. */
type Page = EventSource & { document?: EventSource & { visibilityState?: string } };

/**
 * Calls `onWake` when the page is shown again, comes back from the back-forward cache or from being frozen, or when the
 * network returns. A connection may have died meanwhile, and no timer has run. Does nothing outside of a page.
 * @returns a function that removes the listeners
 */
export function watchWakeUps(onWake: () => void): () => void {
  const page = globalThis as unknown as Page;
  const { document } = page;
  if (!document || !('addEventListener' in document)) return () => undefined;
  const sources: [EventSource, string, (event: { persisted?: boolean }) => void][] = [
    [document, 'visibilitychange', () => document.visibilityState === 'visible' && onWake()],
    [document, 'resume', onWake],
    [page, 'online', onWake],
    [page, 'pageshow', ({ persisted }) => persisted && onWake()],
  ];
  for (const [source, type, listener] of sources) source.addEventListener(type, listener);
  return () => {
    for (const [source, type, listener] of sources) source.removeEventListener(type, listener);
  };
}
