/**
 * Timeouts of the Node server, in milliseconds. `RequestBodiesService` and `FileUploadsService` limit the time for
 * bodies; Node's own `requestTimeout` remains as a fallback, which must not end an upload of ten minutes.
 */
export const SERVER_TIMEOUTS = {
  /** For the headers, from the first byte of the request or the start of the connection. */
  headersTimeout: 15_000,
  requestTimeout: 11 * 60_000,
  connectionsCheckingInterval: 1_000,
} as const;
