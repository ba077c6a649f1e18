/**
 * Timeouts of the Node server, in milliseconds. `RequestBodiesService` limits the time for bodies; Node's own `requestTimeout`
 * of five minutes remains as a fallback.
 */
export const SERVER_TIMEOUTS = {
  /** For the headers, from the first byte of the request or the start of the connection. */
  headersTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
} as const;
