import { Foundation1795219200000 } from './1795219200000-foundation.js';
import { Doors1795305600000 } from './1795305600000-doors.js';
import { Readers1795392000000 } from './1795392000000-readers.js';
import { DeparturesOfContacts1795478400000 } from './1795478400000-departures-of-contacts.js';
import { Presence1795564800000 } from './1795564800000-presence.js';
import { LastEvent1795651200000 } from './1795651200000-last-event.js';
import { Search1795737600000 } from './1795737600000-search.js';
import { EmailSearch1795824000000 } from './1795824000000-email-search.js';
import { EmailForm1795910400000 } from './1795910400000-email-form.js';
import { InviteTokens1795914000000 } from './1795914000000-invite-tokens.js';
import { ChannelTokenGenerations1795996800000 } from './1795996800000-channel-token-generations.js';
import { Erasures1796083200000 } from './1796083200000-erasures.js';

/** In the order in which they run. A migration that has landed is never edited. */
export const MIGRATIONS = [
  Foundation1795219200000,
  Doors1795305600000,
  Readers1795392000000,
  DeparturesOfContacts1795478400000,
  Presence1795564800000,
  LastEvent1795651200000,
  Search1795737600000,
  EmailSearch1795824000000,
  EmailForm1795910400000,
  InviteTokens1795914000000,
  ChannelTokenGenerations1795996800000,
  Erasures1796083200000,
];
