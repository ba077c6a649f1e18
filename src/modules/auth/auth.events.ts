/** Ways to open a session. */
export type SignInMethod = 'register' | 'login' | 'invite' | 'sso' | 'agent_token';

/** A session was opened. */
export interface SessionStarted {
  session_id: string;
  family_id: string;
  member_id: string;
  method: SignInMethod;
  /** Channels that the session is limited to; null for all that the member sees. */
  channel_ids: string[] | null;
  /** The API key that opened it; null otherwise. */
  api_key_id: string | null;
}

/** A session ended. Its tokens are revoked and its sockets close. */
export interface SessionEnded {
  session_id: string;
  family_id: string;
  member_id: string;
  reason:
    'logout' | 'refresh_reused' | 'password_changed' | 'password_reset' | 'member_deactivated' | 'api_key_revoked';
}

/** A refused sign-in. `reason` is the error code, or a more precise reason that the response must not reveal. */
export interface SessionRefused {
  /** How it was attempted; `password` for changing or resetting a password. */
  method: SignInMethod | 'refresh' | 'password';
  /** The member it concerns, if known. */
  member_id: string | null;
  reason: string;
}

/** A password event, recorded in each workspace that the password opens. No event contains the password. */
export interface PasswordTouched {
  member_id: string;
}

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'session.started': SessionStarted;
    'session.ended': SessionEnded;
    'session.refused': SessionRefused;
    'password.changed': PasswordTouched;
    /** Reset with the mailed link. */
    'password.reset': PasswordTouched;
    /** A reset link was requested, not necessarily by the member. */
    'password.reset_requested': PasswordTouched;
  }
}
