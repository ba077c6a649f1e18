import type { EventType } from './kernel/domain-event.js';
import type { EventDefinitions } from './kernel/event-definition.js';
import { EventRegistry } from './kernel/event-registry.js';
import { MODULES } from './modules.js';

/** The `events` of all modules, as one type. */
type EventsOf<Modules> = Modules extends readonly [infer First, ...infer Others]
  ? (First extends { events: infer Events } ? Events : unknown) & EventsOf<Others>
  : unknown;

/** Every event of the service. An event that a module declares without a definition does not compile here. */
const EVENTS: EventDefinitions<EventType> = Object.assign(
  {},
  ...MODULES.map(module => ('events' in module ? module.events : {})),
) as EventsOf<typeof MODULES>;

export const EVENT_REGISTRY = new EventRegistry(EVENTS);
