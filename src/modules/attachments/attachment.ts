import type { Principal } from '../../kernel/principal.js';

/** Type of every thumbnail. */
export const THUMBNAIL_TYPE = 'image/webp';
/** Attachments of one message. */
export const MAX_PER_MESSAGE = 10;
const NAME_CHARS = 200;

export const OWNER_KINDS = ['contact', 'member', 'api_key'] as const;

/** Callers that can upload files. */
export type Uploader = Exclude<Principal, { kind: 'bot' | 'system' }>;

/** The uploader of a file, who alone may send it. */
export interface Owner {
  kind: (typeof OWNER_KINDS)[number];
  id: string;
}

/**
 * `uploading`: its bytes may be in the store or not. `abandoned`: the upload has failed, and what is there must go.
 * `ready`: the bytes are in the store. `removed`: they must go, and nobody may read them. `gone`: they have gone; the row
 * still counts for the uploads of the hour.
 */
export const ATTACHMENT_STATES = ['uploading', 'abandoned', 'ready', 'removed', 'gone'] as const;
export type AttachmentState = (typeof ATTACHMENT_STATES)[number];

export interface Attachment {
  id: string;
  workspaceId: string;
  state: AttachmentState;
  ownerKind: Owner['kind'];
  ownerId: string;
  /** The conversation's channel and contact, and whether the message is a note; of an unsent file null and false. */
  channelId: string | null;
  contactId: string | null;
  private: boolean;
  messageId: string | null;
  name: string;
  contentType: string;
  /** Bytes in the store, or reserved while it is uploaded. */
  size: number;
  width: number | null;
  height: number | null;
  hasThumbnail: boolean;
  /** When its bytes are to go; null for a file of a message. */
  dueAt: Date | null;
  createdAt: Date;
}

/** The facts of a file that a message, its events and deliveries keep: never a URL. */
export interface AttachmentRef {
  id: string;
  name: string;
  content_type: string;
  size: number;
  width: number | null;
  height: number | null;
  has_thumbnail: boolean;
}

export function toAttachmentRef(attachment: Attachment): AttachmentRef {
  const { id, name, contentType, size, width, height, hasThumbnail } = attachment;
  return { id, name, content_type: contentType, size, width, height, has_thumbnail: hasThumbnail };
}

export function ownerOf(principal: Uploader): Owner {
  switch (principal.kind) {
    case 'visitor':
      return { kind: 'contact', id: principal.contactId };
    case 'agent':
      return { kind: 'member', id: principal.memberId };
    case 'api_key':
      return { kind: 'api_key', id: principal.apiKeyId };
  }
}

/** The files that a caller may send: its own. All keys of a workspace, and its bots, share theirs. */
export function sendableBy(principal: Principal): { kind: Owner['kind']; id: string | null } {
  if (principal.kind === 'bot' || principal.kind === 'system') return { kind: 'api_key', id: null };
  const owner = ownerOf(principal);
  return owner.kind === 'api_key' ? { ...owner, id: null } : owner;
}

/** The key of a file in the store. Ids end randomly, so their ends spread the files over 256 folders. */
export function storeKey(id: string, variant: 'file' | 'thumbnail' = 'file'): string {
  return `${id.slice(-2)}/${id}${variant === 'file' ? '' : '.thumbnail'}`;
}

/** Control characters, and marks that change the direction of text: they disguise the end of a name. */
const UNSAFE = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/** Returns the last part of a path without unsafe characters, at most 200 characters with its extension. */
export function cleanName(given: string): string {
  const last = given.normalize('NFC').replace(UNSAFE, '').split(/[/\\]/).at(-1)?.trim().replace(/^\.+/, '') ?? '';
  if (last === '') return 'file';
  const characters = [...last];
  if (characters.length <= NAME_CHARS) return last;
  const extension = [...(/\.[^.]{1,10}$/.exec(last)?.[0] ?? '')];
  return [...characters.slice(0, NAME_CHARS - extension.length), ...extension].join('');
}
