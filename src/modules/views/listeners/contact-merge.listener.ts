import { Injectable, OnModuleInit } from '@nestjs/common';
import type { ContactMerge } from '../../contacts/index.js';
import { ContactMergeHooks } from '../../contacts/index.js';
import { ViewsRepository } from '../views.repository.js';

/** Views of a merged contact show the conversations of the remaining one. */
@Injectable()
export class ContactMergeListener implements OnModuleInit {
  constructor(
    private readonly views: ViewsRepository,
    private readonly mergeHooks: ContactMergeHooks,
  ) {}

  onModuleInit(): void {
    this.mergeHooks.add(merge => this.follow(merge));
  }

  private follow({ from, into }: ContactMerge): Promise<void> {
    return this.views.replaceContact(from.workspaceId, from.id, into.id);
  }
}
