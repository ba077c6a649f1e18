import type { Fetch } from '@support-chat/sdk';

/** Codes of a token that no longer works. `token_expired` is missing: the SDK renews such a token. */
const ENDED = ['token_revoked', 'invalid_token', 'unauthenticated'];

/**
 * A `fetch` that reports when the service ends the session, whichever call finds out.
 * @param onEnded receives the refused access token; undefined if a refresh was refused
 */
export function watchedFetch(onEnded: (token: string | undefined) => void): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.status !== 401) return response;
    const isRefresh = String(input).endsWith('/v1/auth/refresh');
    const token = new Headers(init?.headers).get('Authorization')?.replace(/^Bearer /, '');
    if (isRefresh) onEnded(undefined);
    else if (token !== undefined && ENDED.includes(await errorCode(response.clone()))) onEnded(token);
    return response;
  };
}

async function errorCode(response: Response): Promise<string> {
  try {
    const body = (await response.json()) as { error?: { code?: unknown } } | null;
    return String(body?.error?.code);
  } catch {
    return '';
  }
}
