import { dictionary } from '@zxcvbn-ts/language-common';

/** bcrypt ignores all but the first 72 bytes, so a longer password is refused, not cut. */
export const PASSWORD_BYTES = { min: 10, max: 72 } as const;

const COMMON: ReadonlySet<string> = new Set(dictionary['passwords-common'].slice(0, 10_000).map(word => String(word)));

/** NFC form, in which passwords are hashed: keyboards encode é as one code point or as two. */
export function normalisePassword(password: string): string {
  return password.normalize('NFC');
}

type PasswordFault = 'too_short' | 'too_long' | 'characters' | 'too_common';

/** Returns null for an acceptable password. Lengths are in bytes of UTF-8. */
function findPasswordFault(password: string): PasswordFault | null {
  if (password.includes('\0') || !password.isWellFormed()) return 'characters';
  const normal = normalisePassword(password);
  const bytes = Buffer.byteLength(normal);
  if (bytes < PASSWORD_BYTES.min) return 'too_short';
  if (bytes > PASSWORD_BYTES.max) return 'too_long';
  return COMMON.has(normal.toLowerCase()) ? 'too_common' : null;
}

export const PASSWORD_RULE = 'must be 10 to 72 bytes of UTF-8 and not a common password';

export function isAcceptablePassword(value: unknown): boolean {
  return typeof value === 'string' && findPasswordFault(value) === null;
}
