/**
 * What kept a request from its answer, in a few words: `connect ECONNREFUSED 127.0.0.1:3000`. The fetch of Node.js says
 * only "fetch failed" and hides the reason in `cause`, or in `errors` where it tried several addresses. Looks at the
 * shape and not at the class, which is another one for an error of another realm.
 */
export function describeNetworkError(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { cause, errors, message, code, name } = error as Partial<Record<string, unknown>>;
  const inner: unknown = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  if (inner !== undefined && inner !== error) return describeNetworkError(inner);
  return [message, code, name].find((text): text is string => typeof text === 'string' && text !== '') ?? 'unknown';
}
