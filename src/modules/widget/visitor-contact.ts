import type { Contact, ContactDetails } from '../contacts/index.js';

/** The contact as its visitor sees it. */
export interface VisitorContactRecord {
  id: string;
  name: string | null;
  email: string | null;
  phone: string | null;
  verified: boolean;
}

/**
 * True if only its own visitor can open a session of this contact. An `external_id` is the site's number for its user:
 * anyone who guesses it gets the unverified contact, and must not learn whose number it is.
 */
export function isExclusiveToVisitor(contact: Contact): boolean {
  return contact.verified || contact.externalId === null;
}

/** @param provided fields that this request itself set, which may be returned; null returns all fields */
export function toVisitorContactRecord(contact: Contact, provided: ContactDetails | null): VisitorContactRecord {
  const visibleValue = (field: 'name' | 'email' | 'phone') =>
    provided === null || provided[field] !== undefined ? contact[field] : null;
  return {
    id: contact.id,
    name: visibleValue('name'),
    email: visibleValue('email'),
    phone: visibleValue('phone'),
    verified: contact.verified,
  };
}
