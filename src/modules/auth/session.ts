/** One sign-in. A session opened from another one belongs to its family. */
export interface Session {
  id: string;
  workspaceId: string;
  /** Id of the family's first session. */
  familyId: string;
  memberId: string;
  userId: string;
  /** Channels that the session is limited to. The member's own channels limit it further on each request. */
  channelIds: string[] | null;
  /** Opened by an API key, or from a session that was. It can never leave its workspace. */
  workspaceBound: boolean;
  /** The API key that opened it, if any. */
  apiKeyId: string | null;
  /** True if each refresh returns a new refresh token. */
  rotate: boolean;
  /** Number of rotations. */
  rotation: number;
  /** SHA-256 of the current refresh token. */
  refreshHash: string;
  rotatedAt: Date | null;
  endedAt: Date | null;
  expiresAt: Date;
  createdAt: Date;
}

export const ACCESS_SECONDS = 15 * 60;
export const REFRESH_SECONDS = 7 * 24 * 3600;
/** Two tabs may refresh at the same time. The second use of a token within this time is not theft. */
export const CONCURRENT_REFRESH_MS = 10_000;
