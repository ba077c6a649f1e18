export { toContactRecord, toContactSummary } from './contact.js';
export type { Contact, ContactRecord, ContactSummary } from './contact.js';
export type { ContactUpdated } from './contacts.events.js';
export { ContactBlocked } from './contacts.errors.js';
export { ContactsModule } from './contacts.module.js';
export type { ContactDetails } from './contacts.service.js';
export { ContactsService } from './contacts.service.js';
