/** Somebody who can be there or not: a member of the workspace, or one of its contacts. */
export interface PresenceSubject {
  type: 'member' | 'contact';
  id: string;
  workspaceId: string;
}

export const PRESENCES = ['online', 'away', 'offline'] as const;
/** Contacts are never `away`. */
export type Presence = (typeof PRESENCES)[number];

/** When somebody was last heard. */
export interface Sighting {
  workspaceId: string;
  id: string;
  at: Date;
}
