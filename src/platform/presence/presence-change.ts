/** Somebody came (`before` is undefined), left (`after` is), or something else is said of them now. */
export interface PresenceChange {
  room: string;
  who: string;
  before: string | undefined;
  after: string | undefined;
  /** When, in milliseconds: for those who left, when they were last here, as well as that is known. */
  at: number;
}

export type PresenceListener = (change: PresenceChange) => void;
