import type { EventType } from './kernel/domain-event.js';
import type { EventDefinitions } from './kernel/event-definition.js';
import { EventRegistry } from './kernel/event-registry.js';
import { API_KEY_EVENTS } from './modules/api-keys/index.js';
import { AUTH_EVENTS } from './modules/auth/index.js';
import { BOT_EVENTS } from './modules/bots/index.js';
import { CANNED_RESPONSE_EVENTS } from './modules/canned-responses/index.js';
import { CHANNEL_EVENTS } from './modules/channels/index.js';
import { CONTACT_EVENTS } from './modules/contacts/index.js';
import { CONVERSATION_EVENTS } from './modules/conversations/index.js';
import { INVITE_EVENTS } from './modules/invites/index.js';
import { MEMBER_EVENTS } from './modules/members/index.js';
import { SSO_EVENTS } from './modules/sso/index.js';
import { WORKSPACE_EVENTS } from './modules/workspaces/index.js';

/** Every event of the service. An event that a module declares without a definition does not compile here. */
const EVENTS: EventDefinitions<EventType> = {
  ...CONVERSATION_EVENTS,
  ...CONTACT_EVENTS,
  ...MEMBER_EVENTS,
  ...BOT_EVENTS,
  ...CHANNEL_EVENTS,
  ...CANNED_RESPONSE_EVENTS,
  ...WORKSPACE_EVENTS,
  ...API_KEY_EVENTS,
  ...AUTH_EVENTS,
  ...INVITE_EVENTS,
  ...SSO_EVENTS,
};

export const EVENT_REGISTRY = new EventRegistry(EVENTS);
