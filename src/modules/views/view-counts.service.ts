import { Injectable, Logger } from '@nestjs/common';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { KeyedConcurrencyQueue } from '../../platform/database/keyed-concurrency-queue.js';
import type { FilterRecord } from '../conversations/index.js';
import { InboxFiltersService, InboxService } from '../conversations/index.js';
import type { View } from './view.js';
import { matchesNothing } from './view.js';
import { ViewsRepository } from './views.repository.js';

/** Counting stops here. */
export const MAX_COUNT = 100;
/** Views of one workspace that are counted at the same time. */
const LANES = 2;
/** After this time the remaining views of a request stay uncounted. */
const BUDGET_MS = 2_000;

export interface ViewCount {
  id: string;
  /** null if there was no time to count it. */
  count: number | null;
}

/** Counts the conversations of views, with the scope and the `me` of the reader. */
@Injectable()
export class ViewCountsService {
  private readonly logger = new Logger(ViewCountsService.name);
  private readonly workspaces = new KeyedConcurrencyQueue(LANES);

  constructor(
    private readonly views: ViewsRepository,
    private readonly filters: InboxFiltersService,
    private readonly inbox: InboxService,
  ) {}

  async count(principal: StaffPrincipal): Promise<ViewCount[]> {
    const views = await this.views.findAll(principal);
    const deadline = performance.now() + BUDGET_MS;
    const counts = new Map<string, number | null>();
    const queue = views.values();
    const lane = async (): Promise<void> => {
      for (const view of queue) counts.set(view.id, await this.countInTime(principal, view, deadline));
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return views.map(({ id }) => ({ id, count: counts.get(id) ?? null }));
  }

  private async countInTime(principal: StaffPrincipal, view: View, deadline: number): Promise<number | null> {
    if (matchesNothing(view.filters)) return 0;
    const left = deadline - performance.now();
    if (left <= 0) return null;
    try {
      return await this.workspaces.run(principal.workspaceId, left, async () => {
        const filters = await this.filters.resolve(principal, view.filters as FilterRecord);
        const rest = deadline - performance.now();
        return rest <= 0 ? null : await this.inbox.countMatches(principal, filters, MAX_COUNT, rest);
      });
    } catch (error) {
      this.logger.warn(`the view ${view.id} is not counted: ${String(error)}`);
      return null;
    }
  }
}
