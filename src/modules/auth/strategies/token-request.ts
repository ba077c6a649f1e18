/** What the strategies look at: a request to them is a token, whether it came in a header or in a socket's query. */
export interface TokenRequest {
  token: string;
}

export function tokenOf(request: unknown): string {
  return (request as TokenRequest).token;
}
