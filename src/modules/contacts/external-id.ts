import { assertAllowed, isAllowed } from '../../kernel/permission.js';
import type { Principal } from '../../kernel/principal.js';
import type { Contact, ContactRecord } from './contact.js';
import { ContactVerified } from './contacts.errors.js';

/**
 * The `external_id` of an unverified contact opens its history, so reading it requires the right to read all
 * conversations.
 */
const READS_ALL = ['conversations:read', { allChannels: true }] as const;

/**
 * True if the caller sees the `external_id` of unverified contacts: with scope `all`, or an API key that reads
 * conversations.
 */
export function canSeeExternalIds(principal: Principal): boolean {
  return isAllowed(principal, ...READS_ALL);
}

/**
 * Setting an `external_id` requires the right to see it: the response reveals whether the id was taken, and its owner
 * could open a session with it.
 * @throws Forbidden, ScopeTooNarrow
 */
export function assertCanSeeExternalIds(principal: Principal): void {
  assertAllowed(principal, ...READS_ALL);
}

/** @param externalId the new id; undefined leaves it unchanged @throws ContactVerified, Forbidden, ScopeTooNarrow */
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

/** Hides the `external_id` of an unverified contact. */
export function withoutSecretId(contact: ContactRecord): ContactRecord {
  return contact.verified ? contact : { ...contact, external_id: null };
}
