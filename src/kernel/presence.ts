/** A member or contact whose presence is tracked. */
export interface PresenceSubject {
  type: 'member' | 'contact';
  id: string;
  workspaceId: string;
}

export const PRESENCES = ['online', 'away', 'offline'] as const;
/** Contacts are never `away`. */
export type Presence = (typeof PRESENCES)[number];

/** The last activity of a member or contact. */
export interface Sighting {
  workspaceId: string;
  id: string;
  at: Date;
}
