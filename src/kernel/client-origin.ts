/** Where a request comes from; what limits and the event log know of a caller without a credential. */
export interface ClientOrigin {
  address: string;
  userAgent: string | null;
}
