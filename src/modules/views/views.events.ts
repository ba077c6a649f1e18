import type { EventDefinitions } from '../../kernel/event-definition.js';
import { auditedAs, wholePayload } from '../../kernel/event-definition.js';
import type { ViewSummary } from './view.js';

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'view.created': ViewSummary;
    'view.updated': ViewSummary;
    'view.deleted': ViewSummary;
  }
}

export type ViewEvent = 'view.created' | 'view.updated' | 'view.deleted';

const shared = {
  agents: { room: 'workspace', shape: 'ViewSummaryView', data: wholePayload, alsoEphemeral: true },
  visitor: null,
  audit: auditedAs('view'),
  personal: 'none',
} as const;

/** Events of shared views. Sockets of a member get the same frames for its own views, which no log keeps. */
export const VIEW_EVENTS: EventDefinitions<ViewEvent> = {
  'view.created': { summary: 'A view was created. Read its filters over REST.', ...shared },
  'view.updated': { summary: 'A view was updated. Read its filters over REST.', ...shared },
  'view.deleted': { summary: 'A view was deleted.', ...shared },
};
