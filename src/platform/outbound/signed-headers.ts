import { Webhook } from 'standardwebhooks';

interface SignedRequest {
  id: string;
  secrets: readonly string[];
  body: string;
}

/**
 * Returns the headers of Standard Webhooks. Each secret adds a signature, so that a receiver may know the old one or
 * the new one.
 * @throws Error when a secret is not in the format `whsec_…`
 */
export function signedHeaders({ id, secrets, body }: SignedRequest, now: Date): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': secrets.map(secret => new Webhook(secret).sign(id, now, body)).join(' '),
  };
}
