import type { PrincipalStates } from '../principal-states.js';

/** Input of the strategies: the token, from a header or a socket's query, and a reader of its state. */
export interface TokenRequest {
  token: string;
  states: PrincipalStates;
}

export function tokenOf(request: unknown): string {
  return (request as TokenRequest).token;
}
