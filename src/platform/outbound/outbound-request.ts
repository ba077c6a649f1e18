export interface OutboundRequest {
  url: string;
  /** Whose share of the connections it uses. */
  workspaceId: string;
  /** True if the requests before it failed: such requests use at most half of a host's connections. */
  isFailing?: boolean;
  /** The `webhook-id` header: the same on every attempt. */
  id: string;
  /** Signing secrets `whsec_…` in plain text, newest first; each adds a signature to `webhook-signature`. */
  secrets: readonly string[];
  /** JSON text. */
  body: string;
  /** Called when the wait for its turn is over. */
  onStart?: () => void;
  /** Ends the request early, also while it waits for its turn; the caller gets the signal's reason. */
  signal?: AbortSignal;
}

export interface AnswerHead {
  status: number;
  /** From the beginning of the attempt to the answer's head, without the wait for a turn. */
  latencyMs: number;
  /** From `Retry-After` (seconds or HTTP date), at most 24 h; null if absent. */
  retryAfterMs: number | null;
}

export interface OutboundAnswer extends AnswerHead {
  /** The first 1 KiB of the answer as text: invalid UTF-8 replaced, never half a character, no NUL. */
  body: string;
}

export interface OutboundStream extends AnswerHead {
  contentType: string;
  /** At most 256 KiB; reading on throws AnswerTooLarge. */
  body: AsyncIterable<Uint8Array>;
}
