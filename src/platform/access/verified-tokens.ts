import { LRUCache } from 'lru-cache';

/**
 * Bounded cache of tokens whose signature has been verified, which is half the cost of authentication.
 *
 * It remembers only what cannot change: that this service signed the token. Callers still check on every request that
 * it has not been revoked. Entries end with their token; recently used ones stay.
 */
export class VerifiedTokens<Token extends { claims: { exp: number } }> {
  private readonly tokens: LRUCache<string, Token>;

  constructor(maxTokens = 20_000) {
    this.tokens = new LRUCache({ max: maxTokens });
  }

  /** @returns undefined when the token was not verified, was evicted or has expired */
  find(text: string, now: Date): Token | undefined {
    const token = this.tokens.get(text);
    if (token === undefined || token.claims.exp * 1000 > now.getTime()) return token;
    this.tokens.delete(text);
    return undefined;
  }

  /** @param token whose signature, algorithm, issuer and audience have been verified */
  add(text: string, token: Token): void {
    this.tokens.set(text, token);
  }
}
