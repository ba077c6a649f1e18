import type { AuditSubject } from '../../kernel/audit-subject.js';
import type { EventDefinitions } from '../../kernel/event-definition.js';
import { NOT_SENT } from '../../kernel/event-definition.js';
/** The doors through which a session begins. */
export type SignInMethod = 'register' | 'login' | 'invite' | 'sso' | 'agent_token';

/** A sign-in. */
export interface SessionStarted {
  session_id: string;
  family_id: string;
  member_id: string;
  method: SignInMethod;
  /** What the session was narrowed to; null where it was not. */
  channel_ids: string[] | null;
  /** The key that minted it; null where none did. */
  api_key_id: string | null;
}

/** The end of a session: its tokens are dead, its sockets close. */
export interface SessionEnded {
  session_id: string;
  family_id: string;
  member_id: string;
  reason:
    'logout' | 'refresh_reused' | 'password_changed' | 'password_reset' | 'member_deactivated' | 'api_key_revoked';
}

/** Somebody who was turned away at a door; `reason` is the error's code, or says more where the answer must not. */
export interface SessionRefused {
  /** The door; `password` where one was to be changed or reset. */
  method: SignInMethod | 'refresh' | 'password';
  /** Whose session it would have been, where that is known. */
  member_id: string | null;
  reason: string;
}

/** Told in each workspace that the password opens; the password itself is in no event. */
export interface PasswordTouched {
  member_id: string;
}

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'session.started': SessionStarted;
    'session.ended': SessionEnded;
    'session.refused': SessionRefused;
    'password.changed': PasswordTouched;
    /** By the link that was mailed. */
    'password.reset': PasswordTouched;
    /** Somebody, not necessarily the member, asked for such a link. */
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
    summary: 'A session ended; its sockets close.',
    ...NOT_SENT,
    audit: session,
    closes: ({ session_id: sessionId, reason }) => ({
      of: 'session',
      sessionId,
      reason: reason === 'member_deactivated' ? 'memberDeactivated' : 'accessRevoked',
    }),
    personal: 'none',
  },
  'session.refused': { summary: 'A sign-in was refused.', ...NOT_SENT, audit: member, personal: 'none' },
  'password.changed': { summary: 'A member changed its password.', ...NOT_SENT, audit: member, personal: 'none' },
  'password.reset': {
    summary: 'A member set a new password with a mailed link.',
    ...NOT_SENT,
    audit: member,
    personal: 'none',
  },
  'password.reset_requested': {
    summary: 'A link to set a new password was requested.',
    ...NOT_SENT,
    audit: member,
    personal: 'none',
  },
};
