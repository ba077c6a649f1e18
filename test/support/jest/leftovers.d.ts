export function stoppedAtEnd(stop: () => Promise<void>): () => Promise<void>;
export function stopLeftovers(): Promise<void>;
