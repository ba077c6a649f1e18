/**
 * What an answer or a frame carries. Each is validated against the documents as it arrives, which says more than a type
 * that a test would write down again.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
export type Json = any;
