type Listener = (event: { persisted?: boolean }) => void;

interface EventSource {
  addEventListener(type: string, listener: Listener): void;
  removeEventListener(type: string, listener: Listener): void;
}

/** The parts of a page that report that it pauses, or continues after a pause. */
type PageDocument = EventSource & { visibilityState?: string };
type Page = EventSource & { document?: PageDocument };
type PageListeners = (page: Page, document: PageDocument) => [EventSource, string, Listener][];

/**
 * Adds listeners to the page. Does nothing outside of a page.
 * @returns a function that removes them
 */
export function listenToPage(listeners: PageListeners): () => void {
  const page = globalThis as unknown as Page;
  const { document } = page;
  if (!document || !('addEventListener' in document)) return () => undefined;
  const all = listeners(page, document);
  for (const [source, type, listener] of all) source.addEventListener(type, listener);
  return () => {
    for (const [source, type, listener] of all) source.removeEventListener(type, listener);
  };
}

/**
 * Calls `onWake` when the page is shown again, comes back from the back-forward cache or from being frozen, or when the
 * network returns. A connection may have died meanwhile, and no timer has run. Does nothing outside of a page.
 * @returns a function that removes the listeners
 */
export function watchWakeUps(onWake: () => void): () => void {
  return listenToPage((page, document) => [
    [document, 'visibilitychange', () => document.visibilityState === 'visible' && onWake()],
    [document, 'resume', onWake],
    [page, 'online', onWake],
    [page, 'pageshow', ({ persisted }) => persisted && onWake()],
  ]);
}
