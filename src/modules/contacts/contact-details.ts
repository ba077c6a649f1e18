import { newId } from '../../kernel/ids.js';
import type { Contact } from './contact.js';

/** Fields of a contact that callers set. An absent field stays unchanged; null clears it. */
export interface ContactDetails {
  external_id?: string | null | undefined;
  name?: string | null | undefined;
  email?: string | null | undefined;
  phone?: string | null | undefined;
  avatar_url?: string | null | undefined;
  locale?: string | null | undefined;
  timezone?: string | null | undefined;
  custom_attributes?: Record<string, unknown> | undefined;
  /** Sets the subscription of the present address. */
  email_unsubscribed?: boolean | undefined;
}

/** Builds a contact that is not stored yet. */
export function newContact(workspaceId: string, verified: boolean, details: ContactDetails, now: Date): Contact {
  return {
    id: newId(),
    workspaceId,
    externalId: null,
    verified,
    name: null,
    email: null,
    phone: null,
    avatarUrl: null,
    locale: null,
    timezone: null,
    blocked: false,
    emailUnsubscribed: false,
    customAttributes: {},
    tokenGeneration: 1,
    endedAt: null,
    mergedIntoId: null,
    lastSeenAt: null,
    createdAt: now,
    updatedAt: now,
    ...toColumns(details),
  };
}

export function toColumns(details: ContactDetails): Partial<Contact> {
  const columns = {
    externalId: details.external_id,
    name: details.name,
    email: details.email,
    phone: details.phone,
    avatarUrl: details.avatar_url,
    locale: details.locale,
    timezone: details.timezone,
    customAttributes: details.custom_attributes,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as Partial<Contact>;
}
