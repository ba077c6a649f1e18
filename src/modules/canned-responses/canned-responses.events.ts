import type { EventDefinitions } from '../../kernel/event-definition.js';
import { workspaceRecord } from '../../kernel/event-definition.js';
import type { CannedResponseRecord } from './canned-response.js';

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'canned_response.created': CannedResponseRecord;
    'canned_response.updated': CannedResponseRecord;
    'canned_response.deleted': CannedResponseRecord;
  }
}

const record = { ...workspaceRecord('CannedResponseView'), audit: null, personal: 'none' } as const;

type CannedResponseEvent = 'canned_response.created' | 'canned_response.updated' | 'canned_response.deleted';

export const CANNED_RESPONSE_EVENTS: EventDefinitions<CannedResponseEvent> = {
  'canned_response.created': { summary: 'A canned response was created.', ...record },
  'canned_response.updated': { summary: 'A canned response was updated.', ...record },
  'canned_response.deleted': { summary: 'A canned response was deleted.', ...record },
};
