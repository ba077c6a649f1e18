/** Where the service is reached. */
export interface Addresses {
  /** Without `/v1`: every path of this SDK names it. */
  rest: string;
  /** Same host, `ws` or `wss`. */
  ws: string;
}

/**
 * @param baseUrl of the service, with or without the `/v1` that its documentation carries.
 * @param wsBaseUrl only where the sockets live elsewhere.
 */
export function resolveAddresses(baseUrl: string, wsBaseUrl?: string): Addresses {
  const rest = trimTrailingSlashes(baseUrl).replace(/\/v1$/, '');
  return { rest, ws: wsBaseUrl === undefined ? rest.replace(/^http/i, 'ws') : trimTrailingSlashes(wsBaseUrl) };
}

function trimTrailingSlashes(url: string): string {
  return url.replace(/\/+$/, '');
}

/** Values of a query; absent ones are left out, lists become comma-separated. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>;

/** `?a=1&b=2`, or nothing. */
export function queryString(query: object | undefined): string {
  const entries = Object.entries((query ?? {}) as Query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [name, String(value)] as [string, string]);
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
}

/** A path whose ids cannot leave their place: `` path`/v1/contacts/${id}` ``. */
export function path(parts: TemplateStringsArray, ...ids: readonly string[]): string {
  return parts.reduce((result, part, index) => `${result}${encodeURIComponent(ids[index - 1] ?? '')}${part}`);
}
