/**
 * Describes a network error in a few words: `connect ECONNREFUSED 127.0.0.1:3000`. Node's fetch says only "fetch
 * failed" and has the reason in `cause`, or in `errors` if it tried several addresses. Checks the shape, not the class,
 * because an error of another realm has another class.
 */
export function describeNetworkError(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { cause, errors, message, code, name } = error as Partial<Record<string, unknown>>;
  const inner: unknown = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  if (inner !== undefined && inner !== error) return describeNetworkError(inner);
  return [message, code, name].find((text): text is string => typeof text === 'string' && text !== '') ?? 'unknown';
}
