/** Documents per segment. A search reads at most so many of a common word for a page. */
export const SEGMENT_DOCUMENTS = 8_192;
/** Segments per statement. */
const MAX_SEGMENTS = 64;

/** A part of a workspace's index, and the times of its documents. */
export interface Segment {
  id: number;
  documents: number;
  firstAt: Date;
  lastAt: Date;
}

/** A span of time, and the segments that have all of its documents. */
export interface SearchWindow {
  segmentIds: number[];
  /** Documents of this time or older are not in the window; null if it has all older ones. */
  after: Date | null;
}

/**
 * Returns the window that ends at a time, the newest documents first.
 * @param segments sorted by `lastAt`, the newest first
 * @param before the time at which the window ends, inclusive; null for the newest window
 * @param documents the approximate number of documents
 * @returns null if there are no older documents
 */
export function nextWindow(segments: readonly Segment[], before: Date | null, documents: number): SearchWindow | null {
  const older = segments.filter(({ firstAt }) => before === null || firstAt <= before);
  const segmentIds: number[] = [];
  let counted = 0;
  for (const segment of older) {
    const isFurther = before === null || segment.lastAt < before;
    const isFull = counted >= documents || segmentIds.length >= MAX_SEGMENTS;
    if (isFurther && isFull && segmentIds.length > 0) return { segmentIds, after: segment.lastAt };
    segmentIds.push(segment.id);
    counted += segment.documents;
  }
  return segmentIds.length === 0 ? null : { segmentIds, after: null };
}

/** The factor by which a window may have more documents than the one before. */
const GROWTH = 8;
/** Hits are not spread evenly. */
const RESERVE = 1.5;

/** Chooses the sizes of windows by the hits in those before, so that the last one has not much more than the page needs. */
export class WindowSizes {
  /** Documents of the next window. */
  documents = SEGMENT_DOCUMENTS;
  private read = 0;
  private hits = 0;

  /** @param needed hits of a page */
  constructor(private readonly needed: number) {}

  addHits(count: number): void {
    this.hits += count;
  }

  /** The window was read. */
  advance(): void {
    this.read += this.documents;
    const expected = ((this.needed - this.hits) / this.hits) * this.read * RESERVE;
    this.documents = Math.max(SEGMENT_DOCUMENTS, Math.min(this.documents * GROWTH, expected));
  }
}
