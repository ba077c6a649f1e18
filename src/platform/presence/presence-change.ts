/**
 * A change of one presence entry: it appeared (`before` is undefined), disappeared (`after` is) or has new metadata.
 */
export interface PresenceChange {
  group: string;
  id: string;
  before: string | undefined;
  after: string | undefined;
  /**
   * In milliseconds: when the change happened. For an entry that disappeared, when its subject was last seen if known.
   */
  at: number;
}

export type PresenceListener = (change: PresenceChange) => void;
