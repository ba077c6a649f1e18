export {
  channelsNote,
  ContactPresence,
  contactsRoom,
  readChannels,
  workspaceOfContacts,
} from './contact-presence.service.js';
export { toContactRecord, toContactSummary } from './contact.js';
export type { Contact, ContactRecord, ContactSummary } from './contact.js';
export type { ContactMerge, ErasedPerson } from './contact-holdings.js';
export { ContactErasureHoldings, ContactMergeHoldings } from './contact-holdings.js';
export type { ContactDeleted, ContactMerged, ContactUpdated } from './contacts.events.js';
export { ContactBlocked, ContactMergedAway } from './contacts.errors.js';
export { ContactsModule } from './contacts.module.js';
export type { ContactDetails } from './contacts.service.js';
export { ContactsService } from './contacts.service.js';
