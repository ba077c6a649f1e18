import { Injectable } from '@nestjs/common';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { ContactDuplicatesRepository } from './contact-duplicates.repository.js';
import type { Contact, ContactDuplicate } from './contact.js';

/** Tells agents which contacts they may want to merge. */
@Injectable()
export class ContactDuplicatesService {
  constructor(private readonly duplicates: ContactDuplicatesRepository) {}

  /** Other contacts that the caller can see and that may be the same person, at most ten. */
  async find(principal: StaffPrincipal, contact: Contact): Promise<ContactDuplicate[]> {
    const found = await this.duplicates.find(principal, contact);
    return found.map(({ id, name, verified }) => ({ id, name, verified }));
  }
}
