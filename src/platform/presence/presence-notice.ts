/** What an instance tells the others of its own page: how it came from one version to the next. */
export interface PresenceNotice {
  from: string;
  base: number;
  version: number;
  changes: PresenceNoticeChange[];
  /** It ends, and its page goes with it after so many milliseconds. */
  farewellMs?: number;
}

export type PresenceNoticeChange = [field: string, note: string | null, at: number];

const INSTANCE = /^[\w-]{1,64}$/;
/** Of a field and of a note, in characters: nothing that the service enters comes near. */
const LONGEST = { field: 1_024, note: 65_536 } as const;
const LONGEST_FAREWELL_MS = 3_600_000;
/** In milliseconds: beyond it a `Date` is invalid. */
const LAST_TIME = 8.64e15;

/** Whether a text can be the id of an instance. */
export function isInstanceId(text: string): boolean {
  return INSTANCE.test(text);
}

/** Whether a page can have this entry: the field names a room and somebody in it. */
export function isEntry(field: unknown, note: unknown): boolean {
  return (
    typeof field === 'string' &&
    field.length <= LONGEST.field &&
    field.indexOf(' ') > 0 &&
    typeof note === 'string' &&
    note.length <= LONGEST.note
  );
}

/** @returns null when the text is no version of a page */
export function readVersion(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Whether a message from another instance is such a notice. */
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
    (farewellMs === undefined || (isCount(farewellMs) && farewellMs <= LONGEST_FAREWELL_MS))
  );
}

function isChange(change: unknown): boolean {
  if (!Array.isArray(change)) return false;
  const [field, note, at] = change as unknown[];
  return isEntry(field, note ?? '') && typeof at === 'number' && Math.abs(at) <= LAST_TIME;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
