/** The longest pause that an endpoint may ask for. */
const MAX_MS = 24 * 3_600_000;

/** The three date formats of HTTP. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? [\w :-]+( GMT)?$/;

/**
 * Reads a `Retry-After` header: seconds, or an HTTP date.
 * @returns milliseconds from 0 to 24 h; null without a header, or with one that is neither
 */
export function retryAfterMs(header: string | string[] | undefined, now: Date): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, MAX_MS);
  if (!HTTP_DATE.test(text)) return null;
  const at = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : Math.min(Math.max(at - now.getTime(), 0), MAX_MS);
}
