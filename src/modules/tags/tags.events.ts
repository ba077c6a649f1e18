import type { EventDefinitions } from '../../kernel/event-definition.js';

/** A tag with a new name, or a tag that was merged or deleted. */
export interface TagUpdated {
  id: string;
  from: string;
  /** The new name, or that of the tag it was merged into; null if it was deleted. */
  to: string | null;
  /** The tag it was merged into; null unless it was merged. */
  into_id: string | null;
}

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'tag.updated': TagUpdated;
  }
}

const renaming = ({ from, to }: TagUpdated) => ({ from, to });

export const TAG_EVENTS: EventDefinitions<'tag.updated'> = {
  'tag.updated': {
    summary: 'A tag was renamed, merged into another one or deleted. All conversations show it at once.',
    agents: { room: 'workspace', shape: 'TagUpdatedData', data: ({ payload }) => renaming(payload) },
    visitor: null,
    public: ({ payload }) => renaming(payload),
    audit: ({ id }) => ({ type: 'tag', id }),
    personal: 'none',
  },
};
