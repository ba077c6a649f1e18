import type { AuditSubject } from '../../kernel/audit-subject.js';
import type { EventDefinitions } from '../../kernel/event-definition.js';
import { NOT_SENT } from '../../kernel/event-definition.js';
/** Ways to open a session. */
export type SignInMethod = 'register' | 'login' | 'invite' | 'sso' | 'agent_token';

/** A session was opened. */
interface SessionStarted {
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
interface PasswordTouched {
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

const session = ({ session_id: id }: { session_id: string }): AuditSubject => ({ type: 'session', id });
const member = ({ member_id: id }: { member_id: string | null }): AuditSubject => ({ type: 'member', id });

type AuthEvent =
  | 'session.started'
  | 'session.ended'
  | 'session.refused'
  | 'password.changed'
  | 'password.reset'
  | 'password.reset_requested';

export const AUTH_EVENTS: EventDefinitions<AuthEvent> = {
  'session.started': { summary: 'A member signed in.', ...NOT_SENT, audit: session, personal: 'none' },
  'session.ended': {
    summary: 'A session ended. Its sockets close.',
    ...NOT_SENT,
    audit: session,
    closes: ({ session_id: sessionId, reason }) => ({
      of: 'session',
      sessionId,
      reason: reason === 'member_deactivated' ? 'memberDeactivated' : 'accessRevoked',
    }),
    personal: 'none',
  },
  'session.refused': { summary: 'A sign-in or session was refused.', ...NOT_SENT, audit: member, personal: 'none' },
  'password.changed': { summary: 'A member changed the password.', ...NOT_SENT, audit: member, personal: 'none' },
  'password.reset': {
    summary: 'A member reset the password with a link from an e-mail.',
    ...NOT_SENT,
    audit: member,
    personal: 'none',
  },
  'password.reset_requested': {
    summary: 'A password reset link was requested.',
    ...NOT_SENT,
    audit: member,
    personal: 'none',
  },
};
