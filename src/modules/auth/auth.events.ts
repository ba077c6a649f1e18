/** A sign-in. */
export interface SessionStarted {
  session_id: string;
  family_id: string;
  member_id: string;
  method: 'register' | 'login';
}

/** The end of a family of sessions: its tokens are dead, its sockets close. */
export interface SessionEnded {
  family_id: string;
  member_id: string;
  reason: 'logout' | 'refresh_reused' | 'password_changed' | 'password_reset';
}

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'session.started': SessionStarted;
    'session.ended': SessionEnded;
  }
}
