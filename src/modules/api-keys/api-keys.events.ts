import type { EventDefinitions } from '../../kernel/event-definition.js';
import { auditedAs, NOT_SENT } from '../../kernel/event-definition.js';
import type { ApiKeyRecord } from './api-key.js';

/** A revoked or expired key that is still used. */
export interface ApiKeyRefused {
  id: string;
  reason: 'revoked' | 'expired';
}

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'api_key.created': ApiKeyRecord;
    'api_key.revoked': ApiKeyRecord;
    'api_key.refused': ApiKeyRefused;
  }
}

export const API_KEY_EVENTS: EventDefinitions<'api_key.created' | 'api_key.revoked' | 'api_key.refused'> = {
  'api_key.created': {
    summary: 'An API key was created.',
    ...NOT_SENT,
    audit: auditedAs('api_key'),
    personal: 'none',
  },
  'api_key.revoked': {
    summary: 'An API key was revoked.',
    ...NOT_SENT,
    audit: auditedAs('api_key'),
    personal: 'none',
  },
  'api_key.refused': {
    summary: 'A request with a revoked or expired API key was refused.',
    ...NOT_SENT,
    audit: auditedAs('api_key'),
    personal: 'none',
  },
};
