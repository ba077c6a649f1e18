/** A tag of a workspace. Conversations refer to it by id, so a new name shows on all of them at once. */
export interface Tag {
  id: string;
  workspaceId: string;
  name: string;
  /** Equal for names that differ in case alone. */
  key: string;
  /** The tag that replaces this one; null if it was not merged. */
  mergedInto: string | null;
  /** When it was merged or deleted. A worker then takes it off its conversations, and deletes the row. */
  removedAt: Date | null;
  createdAt: Date;
}

export const TAG_LIMITS = { maxItems: 20, max: 50 } as const;

export function tagKey(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}

/** A tag with the number of unresolved conversations that have it and that the caller can see. */
export interface CountedTag {
  name: string;
  count: number;
}
