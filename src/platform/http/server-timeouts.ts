/**
 * How long Node waits for a request. Bodies have times of their own by the kind of their route (`RequestBodies`); Node's
 * own time for whole requests, five minutes, stays behind them.
 */
export const SERVER_TIMEOUTS = {
  /** For the headers, from the first byte of the request or the beginning of the connection. */
  headersTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
} as const;
