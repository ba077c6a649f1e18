import type { Actor } from './domain-event.js';
import type { Principal } from './principal.js';

/** Returns the actor that events record for this caller. */
export function actorOf(principal: Principal): Actor {
  switch (principal.kind) {
    case 'agent':
      return { type: 'member', id: principal.memberId };
    case 'visitor':
      return { type: 'contact', id: principal.contactId };
    case 'api_key':
      return { type: 'api_key', id: principal.apiKeyId };
    case 'bot':
      return { type: 'bot', id: principal.botId };
    case 'system':
      return { type: 'system', id: null };
  }
}
