/** Things that search finds. */
export const SEARCHED_TYPES = ['message', 'conversation', 'contact'] as const;
export type SearchedType = (typeof SEARCHED_TYPES)[number];

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
  /** Empty if nothing is left to search for: it was unsent, erased or merged. */
  texts: string[];
}

/** A row of the index. */
export interface SearchDocument extends Omit<SearchSource, 'texts'> {
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
