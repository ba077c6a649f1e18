import type { Contact, ContactDetails } from '../contacts/index.js';

/** What a visitor is told of its contact. */
export interface VisitorContactRecord {
  id: string;
  name: string | null;
  email: string | null;
  phone: string | null;
  verified: boolean;
}

/**
 * Whether nobody but its own visitor can come in as this contact. An `external_id` is the site's number for its user:
 * whoever guesses one gets the unverified contact of that id, and must not learn from it whose number that is.
 */
export function isExclusiveToVisitor(contact: Contact): boolean {
  return contact.verified || contact.externalId === null;
}

/** @param provided what this request itself gave, which it may have back in any case; null: all of it may be told */
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
