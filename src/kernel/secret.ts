import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Fields of bodies, answers and logged objects that contain secrets. */
export const SECRET_FIELDS: readonly string[] = [
  'authorization',
  'cookie',
  'password',
  'old_password',
  'token',
  'refresh_token',
  'reset_token',
  'visitor_token',
  'identity_token',
  'identity_secret',
  'key',
  'secret',
  'ticket',
];

/** Returns unbiased random characters of `[A-Za-z0-9]`: bytes from 248, the last multiple of 62, are discarded. */
export function randomAlphanumeric(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && text.length < length) text += ALPHANUMERIC[byte % 62];
    }
  }
  return text;
}

/** Returns a secret of 256 random bits with a prefix by which people and secret scanners recognise it. */
export function randomToken(prefix: string): string {
  return `${prefix}${randomBytes(32).toString('base64url')}`;
}

/** Returns SHA-256 in hex. High-entropy secrets are stored in this form. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** Compares two secrets in constant time, so that timing does not show how much of a guess is right. */
export function sameSecret(a: string, b: string): boolean {
  const left = createHash('sha256').update(a).digest();
  const right = createHash('sha256').update(b).digest();
  return timingSafeEqual(left, right);
}
