import { randomBytes } from 'node:crypto';

/** Generates a secret of 256 random bits that signs deliveries, in the format of Standard Webhooks. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
