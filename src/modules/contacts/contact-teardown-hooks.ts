import { Injectable } from '@nestjs/common';
import { TeardownHooks } from '../../kernel/teardown-hooks.js';
import type { Contact } from './contact.js';

/** A merge in progress. Hooks that move rows of `from` to `into` add their results here; later hooks read them. */
export interface ContactMerge {
  from: Contact;
  into: Contact;
  movedConversationIds: string[];
  resolvedConversationIds: string[];
}

/** A person to erase: a contact and all contacts merged into it. */
export interface ErasedPerson {
  workspaceId: string;
  contactId: string;
  /** All contact ids of the person, including `contactId`. */
  contactIds: string[];
  /** Names, addresses, numbers and external ids of the person. */
  details: string[];
}

/** Hooks that move data of a merged contact to the remaining one. */
@Injectable()
export class ContactMergeHooks extends TeardownHooks<ContactMerge> {}

/** Hooks that remove messages and personal data of an erased person. */
@Injectable()
export class ContactErasureHooks extends TeardownHooks<ErasedPerson> {}
