/** The page that a visitor sees. The service cuts user, password, fragment and most of the query. */
export interface VisitedPage {
  url: string;
  title?: string | undefined;
  /** Address of the page before; the service keeps its origin only. */
  referrer?: string | undefined;
}

interface BrowserGlobals {
  document?: { title: string; referrer: string };
  location?: { href: string };
}

/** Returns the browser's page; undefined outside of a page. */
export function readBrowserPage(): VisitedPage | undefined {
  const { document, location } = globalThis as BrowserGlobals;
  if (!document || !location) return undefined;
  return { url: location.href, title: document.title, referrer: document.referrer || undefined };
}
