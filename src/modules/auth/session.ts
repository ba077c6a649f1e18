/** One sign-in: what its tokens may do, and until when. Sessions that one grew from another share a family. */
export interface Session {
  id: string;
  workspaceId: string;
  /** The id of the family's first session. */
  familyId: string;
  memberId: string;
  userId: string;
  /** What the session was narrowed to; the member's own scope cuts it further at each request. */
  channelIds: string[] | null;
  /** Minted by an API key, or grown from one that was: it can never leave its workspace. */
  workspaceBound: boolean;
  /** The key that minted it, if one did. */
  apiKeyId: string | null;
  /** A new refresh token at each refresh. */
  rotate: boolean;
  /** How often it has rotated. */
  rotation: number;
  /** SHA-256 of the present refresh token. */
  refreshHash: string;
  rotatedAt: Date | null;
  endedAt: Date | null;
  expiresAt: Date;
  createdAt: Date;
}

export const ACCESS_SECONDS = 15 * 60;
export const REFRESH_SECONDS = 7 * 24 * 3600;
/** Two tabs may refresh at once; the second call of such a pair is no theft. */
export const CONCURRENT_REFRESH_MS = 10_000;
