/** A page as its visitor reports it: untrusted text, shown as text. */
export interface VisitedPage {
  url: string;
  title: string | null;
  /** Origin of the page that led here. */
  referrer: string | null;
}

const MAX_URL_CHARS = 2_048;
const MAX_TITLE_CHARS = 200;
const CONTROLS = /\p{Cc}+/gu;

/**
 * Reads a page from a client. URLs of pages can contain secrets: user, password and fragment are cut, and all query
 * parameters that the channel does not keep.
 * @returns null for anything but an http(s) URL, and for one that is still too long
 */
export function readVisitedPage(given: unknown, keptParams: readonly string[]): VisitedPage | null {
  const { url, title, referrer } = (typeof given === 'object' && given !== null ? given : {}) as Record<
    string,
    unknown
  >;
  const page = parseWebAddress(url);
  if (!page) return null;
  page.username = '';
  page.password = '';
  page.hash = '';
  // in one pass: deleting one by one would serialize a hostile query thousands of times
  page.search = new URLSearchParams([...page.searchParams].filter(([name]) => keptParams.includes(name))).toString();
  if (page.href.length > MAX_URL_CHARS) return null;
  const from = parseWebAddress(referrer)?.origin ?? null;
  return { url: page.href, title: readTitle(title), referrer: from && from.length <= MAX_URL_CHARS ? from : null };
}

function parseWebAddress(text: unknown): URL | null {
  if (typeof text !== 'string' || !URL.canParse(text)) return null;
  const url = new URL(text);
  return ['http:', 'https:'].includes(url.protocol) ? url : null;
}

/** Cuts the title between characters. */
function readTitle(title: unknown): string | null {
  if (typeof title !== 'string') return null;
  const line = title
    .slice(0, 2 * MAX_TITLE_CHARS)
    .toWellFormed()
    .replace(CONTROLS, ' ')
    .trim();
  return [...line].slice(0, MAX_TITLE_CHARS).join('') || null;
}
