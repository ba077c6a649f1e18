import type { CredentialKind, Principal } from '../../kernel/principal.js';

/**
 * The port through which requests and socket handshakes alike become principals. What a credential is worth is read
 * anew each time: role, scope, member status and session are never older than a second.
 */
export abstract class Authenticator {
  /**
   * @param token what followed `Bearer`, or came as the `token` parameter of a socket; null when nothing came
   * @throws Unauthenticated, InvalidToken, TokenExpired, TokenRevoked, AgentTokenRequired and its siblings (all 401),
   *   and the 403 of a member or contact that is shut out
   */
  abstract authenticate(token: string | null, accepts: readonly CredentialKind[]): Promise<Principal>;
}

/** The bearer token of an Authorization header, or null. */
export function bearerToken(header: string | undefined): string | null {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? null;
}
