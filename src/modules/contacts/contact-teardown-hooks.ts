import { Injectable } from '@nestjs/common';
import { TeardownHooks } from '../../kernel/teardown-hooks.js';
import type { Contact } from './contact.js';

/** One contact that becomes another one's. Whoever hands over what it has of the first says here what that was. */
export interface ContactMerge {
  from: Contact;
  into: Contact;
  conversations: number;
  resolvedConversationIds: string[];
}

/** Somebody who is to be forgotten: a contact, and those that were merged into it. */
export interface ErasedPerson {
  workspaceId: string;
  contactId: string;
  /** All of the ids that the person went by, `contactId` among them. */
  contactIds: string[];
}

/** What is had of a contact that is merged into another, and goes over to that one. */
@Injectable()
export class ContactMergeHooks extends TeardownHooks<ContactMerge> {}

/** What is had of a person that is erased: words and personal data go, so that nothing that is left tells who it was. */
@Injectable()
export class ContactErasureHooks extends TeardownHooks<ErasedPerson> {}
