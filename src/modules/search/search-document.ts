/** Things that search finds. */
export const SEARCHED_TYPES = ['message', 'conversation', 'contact'] as const;
export type SearchedType = (typeof SEARCHED_TYPES)[number];

/**
 * The characters that one slice of a backfill writes to the index, about: ten of the longest messages. They take
 * 60 to 200 ms, and until the transaction ends no consumer reads past it.
 */
const MAX_CHARACTERS = 200_000;

/** The origin of the documents of a segment: the event log, or the backfill of one type. */
export type SegmentSource = 'log' | SearchedType;

/** The searchable state of a thing, as its row has it now. */
export interface SearchSource {
  workspaceId: string;
  id: string;
  type: SearchedType;
  /** null for contacts. */
  channelId: string | null;
  createdAt: Date;
  /** null if it is not in the index. */
  segmentId: number | null;
  /** Empty if nothing is left to search for: it was unsent, erased or merged. */
  texts: string[];
}

/** The first sources with `MAX_CHARACTERS` together; at least one, if there are any. */
export function withinSize(sources: readonly SearchSource[]): SearchSource[] {
  let characters = 0;
  const end = sources.findIndex(({ texts }) => {
    for (const text of texts) characters += text.length;
    return characters >= MAX_CHARACTERS;
  });
  return end === -1 ? [...sources] : sources.slice(0, end + 1);
}

/** A row of the index. */
export interface SearchDocument extends Omit<SearchSource, 'segmentId' | 'texts'> {
  segmentId: number;
  /** A `tsvector` as text. */
  terms: string;
}

/** A hit of the index, which may be out of date. */
export interface Candidate {
  id: string;
  type: SearchedType;
  createdAt: Date;
}
