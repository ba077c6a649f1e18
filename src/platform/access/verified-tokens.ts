/**
 * What tokens have been found to say, so that a signature is verified once and not at each request: half of what it
 * costs to know who calls. Only what can never change is remembered, that we have signed this; whether its session still
 * lives, the member still works here, the contact's generation is the present one, is asked each time as before. Kept by
 * the whole text, until the token's end, and of a limited number: those that are presented again and again stay.
 */
export class VerifiedTokens<Said extends { claims: { exp: number } }> {
  private recent = new Map<string, Said>();
  private older = new Map<string, Said>();

  /** @param most how many are remembered for certain; never more than twice as many */
  constructor(private readonly most = 10_000) {}

  /** What the token says; undefined when it has not been verified, is forgotten or has ended by now. */
  of(token: string, now: Date): Said | undefined {
    const recent = this.recent.get(token);
    const said = recent ?? this.older.get(token);
    if (said === undefined) return undefined;
    if (said.claims.exp * 1000 <= now.getTime()) {
      this.recent.delete(token);
      this.older.delete(token);
      return undefined;
    }
    if (recent === undefined) this.remember(token, said);
    return said;
  }

  /** @param said of a token whose signature, algorithm, issuer and audience have been verified */
  remember(token: string, said: Said): void {
    if (this.recent.size >= this.most) {
      this.older = this.recent;
      this.recent = new Map();
    }
    this.recent.set(token, said);
  }
}
