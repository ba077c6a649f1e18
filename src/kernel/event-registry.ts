import type { EventType } from './domain-event.js';
import type { EventDefinition, EventDefinitions } from './event-definition.js';

/** The definitions of all events, for those who handle events of any type. */
export class EventRegistry {
  readonly types: readonly EventType[];

  constructor(private readonly definitions: EventDefinitions<EventType>) {
    this.types = Object.keys(definitions) as EventType[];
  }

  get<T extends EventType>(type: T): EventDefinition<T> {
    return this.definitions[type];
  }

  /** @returns undefined for a type of another version of the service, which may stand in the log */
  find<T extends EventType>(type: T): EventDefinition<T> | undefined {
    return this.definitions[type];
  }

  /** The types whose definition fits. */
  typesWhere(fits: (definition: EventDefinition<EventType>) => boolean): readonly EventType[] {
    return this.types.filter(type => fits(this.definitions[type] as EventDefinition<EventType>));
  }
}
