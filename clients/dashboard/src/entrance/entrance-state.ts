import type { AgentClient, MeView } from '@support-chat/sdk';
import type { Snapshot, SnapshotStorage } from '../snapshot/snapshot-storage.js';
import type { SecretLink } from './secret-link.js';

/** A signed-in member. Another one has another object, so nothing of the two can mix. */
export interface SignedInSession {
  readonly agent: AgentClient;
  readonly me: MeView;
  /** Shown until the service answers, and undefined afterwards. Until then `me` is the snapshot's. */
  readonly snapshot: Snapshot | undefined;
  readonly snapshots: SnapshotStorage;
  /** Loads `me` again, after a change of the member or the workspace. The session gets a new object, with the same client. */
  reload(): Promise<void>;
  /** Loads `me` where a snapshot is shown, unless that is under way. */
  confirm(): Promise<void>;
  /** Ends the session in all tabs. It is over here at once, even if the service cannot be reached. */
  signOut(): void;
  /**
   * Opens another workspace of `me.workspaces` in this tab. Other tabs stop and offer to follow.
   * @throws ApiError
   */
  switchWorkspace(id: string): Promise<void>;
}

/** Why somebody has to sign in. */
export type SignInReason = 'ended' | 'ended-in-tab' | 'password-changed';

/** The screen that the dashboard shows. */
export type EntranceState =
  | { screen: 'loading' }
  | { screen: 'sign-in'; reason?: SignInReason | undefined }
  | { screen: 'invite'; token: string }
  | { screen: 'reset'; token: string }
  /** A sign-in from another program has failed. */
  | { screen: 'ticket'; link: SecretLink; error: unknown }
  /** Another member has signed in in another tab. */
  | { screen: 'elsewhere' }
  /** Tokens are stored, but the service did not answer. */
  | { screen: 'unreachable'; error: unknown }
  | { screen: 'signed-in'; session: SignedInSession };
