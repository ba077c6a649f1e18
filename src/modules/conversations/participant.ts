export interface ParticipantKey {
  workspaceId: string;
  memberId: string;
  conversationId: string;
}

/** Acts by which a member takes part in a conversation; null for those that did not happen. */
export interface Participation extends ParticipantKey {
  assignedAt: Date | null;
  wroteAt: Date | null;
  mentionedSeq: number | null;
  /** Time of the last act, which takes part again after leaving. */
  actedAt: Date | null;
  /** `seq` of the member's last message. */
  writtenSeq: number | null;
}

/** The last mention of a member after a later one was unsent; null if none is left. */
export interface MovedMention extends ParticipantKey {
  seq: number | null;
}
