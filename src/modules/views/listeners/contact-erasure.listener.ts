import { Injectable, OnModuleInit } from '@nestjs/common';
import type { Principal } from '../../../kernel/principal.js';
import type { ErasedPerson } from '../../contacts/index.js';
import { ContactErasureHooks } from '../../contacts/index.js';
import { ViewLogService } from '../view-log.service.js';
import type { PersonWords } from '../views.repository.js';
import { ViewsRepository } from '../views.repository.js';

/** Shorter words say nothing about a person. */
const MIN_WORD = 3;

/** Removes the filters by which views would find or name an erased person. Such a view then matches nothing. */
@Injectable()
export class ContactErasureListener implements OnModuleInit {
  constructor(
    private readonly views: ViewsRepository,
    private readonly log: ViewLogService,
    private readonly erasureHooks: ContactErasureHooks,
  ) {}

  onModuleInit(): void {
    this.erasureHooks.add((person, by) => this.scrub(person, by));
  }

  private async scrub(person: ErasedPerson, by: Principal): Promise<void> {
    const scrubbed = await this.views.scrub(person.workspaceId, wordsOf(person));
    for (const view of scrubbed) await this.log.record('view.updated', view, by);
  }
}

/** Whole details, and the words of names and local parts. The domain of an address is no person's own. */
function wordsOf({ contactIds, details }: ErasedPerson): PersonWords {
  const isTelling = (text: string) => text.length >= MIN_WORD;
  const phrases = [...new Set(details.map(text => text.trim().toLowerCase()).filter(isTelling))];
  const words = phrases.flatMap(phrase => (phrase.includes('@') ? phrase.split('@', 1) : phrase.split(/\s+/)));
  return { contactIds, phrases, words: [...new Set(words.filter(isTelling))] };
}
