import type { CredentialKind, Principal } from '../../kernel/principal.js';

/**
 * Turns the credential of a request or a socket handshake into a principal. Everything that can be revoked is read on
 * every call and is at most one second old.
 */
export abstract class Authenticator {
  /**
   * @param token from the `Authorization` header or from a socket's `token` parameter; null when absent
   * @throws Unauthenticated, InvalidToken, TokenExpired, TokenRevoked or a `…Required` of the accepted kind
   *   (all 401), or a 403 for a caller that is locked out
   */
  abstract authenticate(token: string | null, accepts: readonly CredentialKind[]): Promise<Principal>;
}

/** @returns the bearer token of an `Authorization` header; null when there is none */
export function bearerToken(header: string | undefined): string | null {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? null;
}
