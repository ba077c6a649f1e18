import { dictionary } from '@zxcvbn-ts/language-common';

/** bcrypt reads 72 bytes and ignores the rest, so a longer password is refused rather than cut. */
export const PASSWORD_BYTES = { min: 10, max: 72 } as const;

const COMMON: ReadonlySet<string> = new Set(dictionary['passwords-common'].slice(0, 10_000).map(word => String(word)));

/** The form in which passwords are hashed: one person's keyboard writes é as one sign, another's as two. */
export function normalisePassword(password: string): string {
  return password.normalize('NFC');
}

export type PasswordFault = 'too_short' | 'too_long' | 'characters' | 'too_common';

/** What is wrong with a new password, or null. Lengths are in bytes of UTF-8. */
export function findPasswordFault(password: string): PasswordFault | null {
  if (password.includes('\0') || !password.isWellFormed()) return 'characters';
  const normal = normalisePassword(password);
  const bytes = Buffer.byteLength(normal);
  if (bytes < PASSWORD_BYTES.min) return 'too_short';
  if (bytes > PASSWORD_BYTES.max) return 'too_long';
  return COMMON.has(normal.toLowerCase()) ? 'too_common' : null;
}

export const PASSWORD_RULE = 'must be 10 to 72 bytes of UTF-8 and none of the commonest passwords';

export function isAcceptablePassword(value: unknown): boolean {
  return typeof value === 'string' && findPasswordFault(value) === null;
}
