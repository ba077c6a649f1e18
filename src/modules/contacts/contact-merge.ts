import type { Contact } from './contact.js';
import { toContactRecord } from './contact.js';

const DETAILS = ['name', 'email', 'phone', 'avatarUrl', 'locale', 'timezone'] as const;
/** Limits of a contact's `custom_attributes`. */
const MAX_ATTRIBUTES = 50;
const MAX_ATTRIBUTE_BYTES = 16 * 1024;

/**
 * Columns that `into` gets from `from`: only fields that are empty in `into`. A block always carries over, so that a
 * blocked visitor stays blocked.
 */
export function fillFrom(into: Contact, from: Contact): Partial<Contact> {
  const details = DETAILS.filter(field => into[field] === null && from[field] !== null);
  return {
    ...Object.fromEntries(details.map(field => [field, from[field]])),
    ...(takesOverIdentity(into, from) ? { externalId: from.externalId } : {}),
    blocked: into.blocked || from.blocked,
    emailUnsubscribed: into.email === null ? from.emailUnsubscribed : into.emailUnsubscribed,
    customAttributes: mergeAttributes(into.customAttributes, from.customAttributes),
    lastSeenAt: laterOf(into.lastSeenAt, from.lastSeenAt),
  };
}

/** True if `into` has no `external_id` and takes the one of `from`. */
export function takesOverIdentity(into: Contact, from: Contact): boolean {
  return into.externalId === null && from.externalId !== null && into.verified === from.verified;
}

/**
 * True if sessions with the `external_id` of `from` open `into` from now on. Never from an unverified to a verified
 * contact: anyone who knows the id could read its history. Such an id becomes free for a new contact.
 */
export function redirectsSessions(into: Contact, from: Contact): boolean {
  return into.verified === from.verified;
}

/** Names of the wire fields that differ. */
export function changedFields(before: Contact, after: Contact): string[] {
  const [old, next] = [toContactRecord(before), toContactRecord(after)];
  return (Object.keys(next) as (keyof typeof next)[])
    .filter(field => field !== 'updated_at')
    .filter(field => JSON.stringify(old[field]) !== JSON.stringify(next[field]));
}

/** Adds the attributes of `other` one by one, while the result stays within the limits. */
function mergeAttributes(base: Record<string, unknown>, other: Record<string, unknown>): Record<string, unknown> {
  let attributes = base;
  for (const [key, value] of Object.entries(other)) {
    if (Object.hasOwn(base, key)) continue;
    const more = { ...attributes, [key]: value };
    if (Object.keys(more).length <= MAX_ATTRIBUTES && Buffer.byteLength(JSON.stringify(more)) <= MAX_ATTRIBUTE_BYTES) {
      attributes = more;
    }
  }
  return attributes;
}

function laterOf(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}
