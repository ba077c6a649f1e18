import type { EventDefinitions } from '../../kernel/event-definition.js';
import { auditedAs, NOT_SENT } from '../../kernel/event-definition.js';
import type { WebhookRecord } from './webhook.js';

/** A webhook, and the events that were queued for it again. */
interface WebhookReplayed {
  id: string;
  replay_id: string;
  from: string;
  to: string;
  only_failed: boolean;
  queued: number;
}

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'webhook.created': WebhookRecord;
    'webhook.updated': WebhookRecord;
    'webhook.deleted': WebhookRecord;
    'webhook.secret_rotated': WebhookRecord;
    'webhook.disabled': WebhookRecord;
    'webhook.replayed': WebhookReplayed;
  }
}

/** Events of a webhook that carry its record. */
export type WebhookEvent = `webhook.${'created' | 'updated' | 'deleted' | 'secret_rotated' | 'disabled'}`;

const webhook = { ...NOT_SENT, audit: auditedAs('webhook'), personal: 'none' } as const;

export const WEBHOOK_EVENTS: EventDefinitions<WebhookEvent | 'webhook.replayed'> = {
  'webhook.created': { summary: 'A webhook was created.', ...webhook },
  'webhook.updated': { summary: 'A webhook was updated.', ...webhook },
  'webhook.deleted': { summary: 'A webhook was deleted.', ...webhook },
  'webhook.secret_rotated': { summary: 'The secret of a webhook was rotated.', ...webhook },
  'webhook.disabled': { summary: 'A webhook was disabled because its endpoint is gone or keeps failing.', ...webhook },
  'webhook.replayed': { summary: 'Earlier events were queued for a webhook again.', ...webhook },
};
