import type { Contact } from './contact.js';
import { toContactRecord } from './contact.js';

const DETAILS = ['name', 'email', 'phone', 'avatarUrl', 'locale', 'timezone'] as const;
/** As many as a contact's own attributes may be. */
const MAX_ATTRIBUTES = 50;
const MAX_ATTRIBUTE_BYTES = 16 * 1024;

/**
 * What a contact gets of the one that is merged into it: what fills a hole, and nothing that would overwrite. A block is
 * no detail: whoever was shut out stays so.
 */
export function fillFrom(into: Contact, from: Contact): Partial<Contact> {
  const details = DETAILS.filter(field => into[field] === null && from[field] !== null);
  return {
    ...Object.fromEntries(details.map(field => [field, from[field]])),
    ...(takesOverIdentity(into, from) ? { externalId: from.externalId } : {}),
    blocked: into.blocked || from.blocked,
    customAttributes: mergeAttributes(into.customAttributes, from.customAttributes),
    lastSeenAt: laterOf(into.lastSeenAt, from.lastSeenAt),
  };
}

/** Whether the one has no `external_id` of its own, and so takes over the other's. */
export function takesOverIdentity(into: Contact, from: Contact): boolean {
  return into.externalId === null && from.externalId !== null && into.verified === from.verified;
}

/**
 * Whether sessions with the merged one's `external_id` find the other from now on. Never one without proof where the
 * other is proven: that would open its history to whoever knows an id. Such an id is free for a new contact.
 */
export function redirectsSessions(into: Contact, from: Contact): boolean {
  return into.verified === from.verified;
}

/** The fields, as the wire calls them, that are different. */
export function changedFields(before: Contact, after: Contact): string[] {
  const [old, next] = [toContactRecord(before), toContactRecord(after)];
  return (Object.keys(next) as (keyof typeof next)[])
    .filter(field => field !== 'updated_at')
    .filter(field => JSON.stringify(old[field]) !== JSON.stringify(next[field]));
}

/** One after another, as long as all together are still what a contact may have. */
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
