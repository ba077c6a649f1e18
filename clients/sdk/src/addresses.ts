/** Base URLs of the service. */
export interface Addresses {
  /** Without `/v1`: every path of this SDK includes it. */
  rest: string;
  /** Base URL of the sockets: `ws` or `wss`. */
  ws: string;
}

/**
 * @param baseUrl URL of the service, with or without `/v1`.
 * @param wsBaseUrl URL of the sockets, if they have another host.
 */
export function resolveAddresses(baseUrl: string, wsBaseUrl?: string): Addresses {
  const rest = trimTrailingSlashes(baseUrl).replace(/\/v1$/, '');
  return { rest, ws: wsBaseUrl === undefined ? rest.replace(/^http/i, 'ws') : trimTrailingSlashes(wsBaseUrl) };
}

function trimTrailingSlashes(url: string): string {
  return url.replace(/\/+$/, '');
}

/** Query parameters. Undefined and null values are omitted; lists become comma-separated. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>;

/** Returns `?a=1&b=2`, or an empty string. */
export function queryString(query: object | undefined): string {
  const entries = Object.entries((query ?? {}) as Query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [name, String(value)] as [string, string]);
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
}

/** Builds a path with encoded ids, so that an id cannot change the route: `` path`/v1/contacts/${id}` ``. */
export function path(parts: TemplateStringsArray, ...ids: readonly string[]): string {
  return parts.reduce((result, part, index) => `${result}${encodeURIComponent(ids[index - 1] ?? '')}${part}`);
}
