import { Injectable } from '@nestjs/common';
import type { Principal } from '../../kernel/principal.js';
import type { Contact } from './contact.js';
import { ContactsRepository } from './contacts.repository.js';
import { canSeeExternalIds } from './external-id.js';

const MAX_DUPLICATES = 10;
const MAX_CANDIDATES = 1_000;

/** Finds contacts that may be the same person. */
@Injectable()
export class ContactDuplicatesRepository {
  constructor(private readonly contacts: ContactsRepository) {}

  /**
   * Contacts with the same `external_id`, then those with the same e-mail, verified and newest first. A caller who
   * cannot see external ids must not learn that two are equal.
   *
   * Looks at a bounded number of contacts with the e-mail, because anybody may open a million sessions with it.
   */
  find(principal: Principal, { id, externalId, email }: Contact): Promise<Contact[]> {
    const sameId = canSeeExternalIds(principal) ? externalId : null;
    return this.contacts
      .visibleTo(principal)
      .andWhere('contact.id <> :id', { id })
      .andWhere(
        `contact.id = ANY(ARRAY(
          SELECT same.id FROM contact same
          WHERE same.workspace_id = :workspaceId AND same.external_id = CAST(:sameId AS text)
          UNION ALL
          (SELECT alike.id FROM contact alike
           WHERE alike.workspace_id = :workspaceId AND alike.email = CAST(:email AS text) AND alike.ended_at IS NULL
           ORDER BY alike.verified DESC, alike.id DESC LIMIT :candidates)))`,
        { sameId, email, candidates: MAX_CANDIDATES },
      )
      .orderBy('contact.external_id = CAST(:sameId AS text)', 'DESC', 'NULLS LAST')
      .addOrderBy('contact.verified', 'DESC')
      .addOrderBy('contact.id', 'DESC')
      .limit(MAX_DUPLICATES)
      .getMany();
  }
}
