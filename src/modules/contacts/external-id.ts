import { assertAllowed, isAllowed } from '../../kernel/permission.js';
import type { Principal } from '../../kernel/principal.js';
import type { Contact, ContactRecord } from './contact.js';
import { ContactVerified } from './contacts.errors.js';

/** An unverified contact's `external_id` opens its history, so it takes the right to read all of that. */
const READS_ALL = ['conversations:read', { allChannels: true }] as const;

/** Whether the `external_id` of unverified contacts is shown to the caller: scope `all`, or a key that reads conversations. */
export function canSeeExternalIds(principal: Principal): boolean {
  return isAllowed(principal, ...READS_ALL);
}

/**
 * Setting an `external_id` needs the same right: the answer tells whether it was taken, and whoever sets one can open a
 * session with it. @throws Forbidden, ScopeTooNarrow
 */
export function assertCanSeeExternalIds(principal: Principal): void {
  assertAllowed(principal, ...READS_ALL);
}

/** @param externalId the new one; undefined leaves it @throws ContactVerified, Forbidden, ScopeTooNarrow */
export function assertMayChangeExternalId(
  principal: Principal,
  { verified, externalId: present }: Contact,
  externalId: string | null | undefined,
): void {
  if (externalId === undefined) return;
  if (!verified) return assertCanSeeExternalIds(principal);
  if (externalId !== present) throw new ContactVerified();
}

/** The contact as the caller may see it. */
export function visibleRecord(principal: Principal, contact: ContactRecord): ContactRecord {
  return canSeeExternalIds(principal) ? contact : withoutSecretId(contact);
}

/** The contact as those see it who may not read the `external_id` of an unverified one. */
export function withoutSecretId(contact: ContactRecord): ContactRecord {
  return contact.verified ? contact : { ...contact, external_id: null };
}
