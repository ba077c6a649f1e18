/** Maximum size of a file, from anybody. */
export const MAX_FILE_BYTES = 25 * 1024 * 1024;

/**
 * Types that anybody may send: exact, or all of a kind as `image/*`. Executables, and files whose type is unknown, are
 * not among them. Vector images are text, because they can contain scripts.
 */
export const FILE_TYPES: readonly string[] = [
  'image/*',
  'audio/*',
  'video/*',
  'text/*',
  'application/pdf',
  'application/rtf',
  'application/zip',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.oasis.opendocument.text',
  'application/vnd.oasis.opendocument.spreadsheet',
  'application/vnd.oasis.opendocument.presentation',
];

/** Limits for the files of a channel's visitors. */
export interface AttachmentRules {
  max_bytes: number;
  mime_types: string[];
}

export const DEFAULT_ATTACHMENT_RULES: AttachmentRules = { max_bytes: MAX_FILE_BYTES, mime_types: [...FILE_TYPES] };

/** Matches `type/subtype` and `type/*`, in lower case. */
export const MIME_PATTERN = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$/;

/** True if one of the types, such as `image/*`, covers the content type. */
export function coversType(types: readonly string[], contentType: string): boolean {
  return types.some(type => type === contentType || (type.endsWith('/*') && contentType.startsWith(type.slice(0, -1))));
}
