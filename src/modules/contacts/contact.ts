import { toWireTime, toWireTimeOrNull } from '../../kernel/clock.js';
import type { ScrubFields } from '../../kernel/scrub.js';
import { personal } from '../../kernel/scrub.js';

/** A visitor as the workspace knows it. */
export interface Contact {
  id: string;
  workspaceId: string;
  /** The site's own id for its user. The same id verified and unverified are two contacts. */
  externalId: string | null;
  verified: boolean;
  name: string | null;
  email: string | null;
  phone: string | null;
  avatarUrl: string | null;
  locale: string | null;
  timezone: string | null;
  blocked: boolean;
  /** The address wants no follow-ups. Belongs to the address, not to the contact. */
  emailUnsubscribed: boolean;
  customAttributes: Record<string, unknown>;
  /** Incremented to revoke all visitor tokens issued before. */
  tokenGeneration: number;
  /** Time of its merge or erasure; null while it is active. */
  endedAt: Date | null;
  /** The contact it was merged into. Sessions with its `external_id`, if it kept one, open that contact. */
  mergedIntoId: string | null;
  lastSeenAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface ContactRecord {
  id: string;
  external_id: string | null;
  name: string | null;
  email: string | null;
  phone: string | null;
  avatar_url: string | null;
  locale: string | null;
  timezone: string | null;
  verified: boolean;
  blocked: boolean;
  email_unsubscribed: boolean;
  custom_attributes: Record<string, unknown>;
  last_seen_at: string | null;
  created_at: string;
  updated_at: string;
}

/** The scrubbing of each field. */
export const CONTACT_FIELDS: ScrubFields<ContactRecord> = {
  id: 'kept',
  external_id: personal(null),
  name: personal(null),
  email: personal(null),
  phone: personal(null),
  avatar_url: personal(null),
  locale: personal(null),
  timezone: personal(null),
  verified: 'kept',
  blocked: 'kept',
  email_unsubscribed: 'kept',
  custom_attributes: personal({}),
  last_seen_at: personal(null),
  created_at: 'kept',
  updated_at: 'kept',
};

/** A contact that may be the same person as another one. */
export type ContactDuplicate = Pick<ContactRecord, 'id' | 'name' | 'verified'>;

/** The contact as lists of conversations show it. */
export interface ContactSummary {
  id: string;
  name: string | null;
  email: string | null;
  avatar_url: string | null;
  verified: boolean;
}

/** The scrubbing of each field. */
export const CONTACT_SUMMARY_FIELDS: ScrubFields<ContactSummary> = {
  id: 'kept',
  name: personal(null),
  email: personal(null),
  avatar_url: personal(null),
  verified: 'kept',
};

export function toContactRecord(contact: Contact): ContactRecord {
  return {
    id: contact.id,
    external_id: contact.externalId,
    name: contact.name,
    email: contact.email,
    phone: contact.phone,
    avatar_url: contact.avatarUrl,
    locale: contact.locale,
    timezone: contact.timezone,
    verified: contact.verified,
    blocked: contact.blocked,
    email_unsubscribed: contact.emailUnsubscribed,
    custom_attributes: contact.customAttributes,
    last_seen_at: toWireTimeOrNull(contact.lastSeenAt),
    created_at: toWireTime(contact.createdAt),
    updated_at: toWireTime(contact.updatedAt),
  };
}

export function toContactSummary(contact: Contact): ContactSummary {
  const { id, name, email, avatarUrl, verified } = contact;
  return { id, name, email, avatar_url: avatarUrl, verified };
}
