/**
 * JSON of a response or frame. Each is validated against the documents as it arrives, so tests do not repeat its type.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
export type Json = any;
