/**
 * Bounded cache of tokens whose signature has been verified, which is half the cost of authentication.
 *
 * It remembers only what cannot change: that this service signed the token. Callers still check on every
 * request that it has not been revoked. Entries end with their token; recently used ones
 * stay.
 */
export class VerifiedTokens<Token extends { claims: { exp: number } }> {
  private recent = new Map<string, Token>();
  private older = new Map<string, Token>();

  /** @param maxTokens the cache keeps at least this many recent tokens and at most twice as many */
  constructor(private readonly maxTokens = 10_000) {}

  /** @returns undefined when the token was not verified, was evicted or has expired */
  find(text: string, now: Date): Token | undefined {
    const recent = this.recent.get(text);
    const token = recent ?? this.older.get(text);
    if (token === undefined) return undefined;
    if (token.claims.exp * 1000 <= now.getTime()) {
      this.recent.delete(text);
      this.older.delete(text);
      return undefined;
    }
    if (recent === undefined) this.add(text, token);
    return token;
  }

  /** @param token whose signature, algorithm, issuer and audience have been verified */
  add(text: string, token: Token): void {
    if (this.recent.size >= this.maxTokens) {
      this.older = this.recent;
      this.recent = new Map();
    }
    this.recent.set(text, token);
  }
}
