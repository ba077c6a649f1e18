/** A message to the other instances: how the sender's entries changed from one version to the next. */
export interface PresenceNotice {
  from: string;
  base: number;
  version: number;
  changes: PresenceNoticeChange[];
  /** The sender shuts down; its entries expire after this many milliseconds. */
  farewellMs?: number;
}

/** `metadata` is null where the entry was removed. */
export type PresenceNoticeChange = [field: string, metadata: string | null, at: number];

const INSTANCE = /^[\w-]{1,64}$/;
/** In characters. Limits far above every field and metadata that the service writes. */
const MAX_LENGTH = { field: 1_024, metadata: 65_536 } as const;
const MAX_FAREWELL_MS = 3_600_000;
/** In milliseconds: the last valid time of a `Date`. */
const MAX_TIME = 8.64e15;

export function isInstanceId(text: string): boolean {
  return INSTANCE.test(text);
}

/** Checks an entry that was read from Redis or from a message: the field must contain a group and an id. */
export function isEntry(field: unknown, metadata: unknown): boolean {
  return (
    typeof field === 'string' &&
    field.length <= MAX_LENGTH.field &&
    field.indexOf(' ') > 0 &&
    typeof metadata === 'string' &&
    metadata.length <= MAX_LENGTH.metadata
  );
}

/** @returns null when the text is not a version number */
export function readVersion(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Checks a message from another process, which may run another version of the service. */
export function isPresenceNotice(body: unknown): body is PresenceNotice {
  if (typeof body !== 'object' || body === null) return false;
  const { from, base, version, changes, farewellMs } = body as Record<string, unknown>;
  return (
    typeof from === 'string' &&
    isInstanceId(from) &&
    isCount(base) &&
    isCount(version) &&
    (version === base || version === base + 1) &&
    Array.isArray(changes) &&
    changes.every(isChange) &&
    (farewellMs === undefined || (isCount(farewellMs) && farewellMs <= MAX_FAREWELL_MS))
  );
}

function isChange(change: unknown): boolean {
  if (!Array.isArray(change)) return false;
  const [field, metadata, at] = change as unknown[];
  return isEntry(field, metadata ?? '') && typeof at === 'number' && Math.abs(at) <= MAX_TIME;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
