/** A conversation that gets or loses a tag in the counts of unresolved conversations. */
export interface TagCountChange {
  tagId: string;
  channelId: string;
  change: 1 | -1;
}
