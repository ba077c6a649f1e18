import { randomBytes } from 'node:crypto';

/** What signs deliveries, in the form of Standard Webhooks, whose libraries read it as it is: 256 random bits. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
