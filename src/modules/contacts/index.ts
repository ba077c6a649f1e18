export {
  toContactMetadata,
  ContactPresenceService,
  contactPresenceGroups,
  readContactMetadata,
} from './contact-presence.service.js';
export { CONTACT_SUMMARY_FIELDS, toContactRecord, toContactSummary } from './contact.js';
export { containsText } from './contact-search.js';
export type { Contact, ContactRecord, ContactSummary } from './contact.js';
export type { ContactMerge, ErasedPerson } from './contact-teardown-hooks.js';
export { ContactErasureHooks, ContactMergeHooks } from './contact-teardown-hooks.js';
export { addressHash } from './address-hash.js';
export { ContactBlocked, ContactMergedAway, EmailMissing } from './contacts.errors.js';
export { canSeeExternalIds, visibleRecord } from './external-id.js';
export { ContactsModule } from './contacts.module.js';
export type { ContactDetails } from './contact-details.js';
export { ContactsService } from './contacts.service.js';
export { SubscriptionsService } from './subscriptions.service.js';
export type { PresentPage, SiteVisitor } from './visitor-page.js';
export { readPresentPage, visitorKey, visitorPageGroups } from './visitor-page.js';
export { VisitorPagesService } from './visitor-pages.service.js';
