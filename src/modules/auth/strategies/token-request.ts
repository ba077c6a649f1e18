/** Input of the strategies: only the token, from a header or a socket's query. */
export interface TokenRequest {
  token: string;
}

export function tokenOf(request: unknown): string {
  return (request as TokenRequest).token;
}
