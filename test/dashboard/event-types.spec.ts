import { describe, expect, it } from '@jest/globals';
import { EVENT_TYPES } from '../../clients/dashboard/src/settings/webhooks/event-types.js';
import { EVENT_REGISTRY } from '../../src/events.js';

describe('The events of webhooks in the dashboard', () => {
  it('The screen offers exactly the types that the service sends to webhooks.', () => {
    const offered = EVENT_REGISTRY.typesWhere(definition => definition.public !== undefined);
    expect([...EVENT_TYPES].sort()).toEqual([...offered].sort());
  });
});
