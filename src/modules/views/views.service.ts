import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { LimitReached, NotFound } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { assertAllowed } from '../../kernel/permission.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import type { View, ViewFilters } from './view.js';
import { viewNameKey } from './view.js';
import { ViewLogService } from './view-log.service.js';
import { ViewsRepository } from './views.repository.js';

export interface ViewFields {
  name: string;
  filters: ViewFilters;
  shared: boolean;
  position?: number | undefined;
}

/** Saved filters of the inbox. */
@Injectable()
export class ViewsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly views: ViewsRepository,
    private readonly log: ViewLogService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  list(principal: StaffPrincipal, page: PageRequest): Promise<Page<View>> {
    return this.views.findPage(principal, page);
  }

  /** @throws NotFound */
  async get(principal: StaffPrincipal, id: string): Promise<View> {
    const view = await this.views.findVisible(principal, id);
    if (!view) throw new NotFound();
    return view;
  }

  /** @throws ViewNameTaken, LimitReached @throws Forbidden, ScopeTooNarrow for a shared one */
  create(principal: StaffPrincipal, { name, filters, shared, position }: ViewFields): Promise<View> {
    if (shared) assertMayShare(principal);
    return this.units.run(async () => {
      const now = this.clock.now();
      const view: View = {
        id: newId(),
        workspaceId: principal.workspaceId,
        name,
        nameKey: viewNameKey(name),
        filters,
        shared,
        position: 0,
        createdBy: memberOf(principal),
        createdAt: now,
        updatedAt: now,
      };
      const next = await this.reserve(view);
      view.position = position ?? next;
      await this.views.insert(view);
      await this.log.record('view.created', view, principal);
      return view;
    });
  }

  /**
   * Changes a view. `shared` makes one's own view a shared one, or a shared one the caller's own.
   * @throws NotFound, ViewNameTaken, LimitReached @throws Forbidden, ScopeTooNarrow for a shared one
   */
  update(principal: StaffPrincipal, id: string, changes: Partial<ViewFields>): Promise<View> {
    return this.units.run(async () => {
      const before = await this.lock(principal, id);
      const { name = before.name, shared = before.shared } = changes;
      if (before.shared || shared) assertMayShare(principal);
      const view: View = {
        ...before,
        name,
        nameKey: viewNameKey(name),
        filters: changes.filters ?? before.filters,
        position: changes.position ?? before.position,
        shared,
        createdBy: shared === before.shared ? before.createdBy : memberOf(principal),
        updatedAt: this.clock.now(),
      };
      if (shared !== before.shared) await this.reserve(view);
      await this.views.save(view);
      if (shared === before.shared) await this.log.record('view.updated', view, principal);
      else {
        await this.log.record('view.deleted', before, principal);
        await this.log.record('view.created', view, principal);
      }
      return view;
    });
  }

  /** @throws NotFound @throws Forbidden, ScopeTooNarrow for a shared one */
  delete(principal: StaffPrincipal, id: string): Promise<void> {
    return this.units.run(async () => {
      const view = await this.lock(principal, id);
      if (view.shared) assertMayShare(principal);
      await this.views.remove(view);
      await this.log.record('view.deleted', view, principal);
    });
  }

  /** Checks the limit under the lock of the list. @returns the position after the last view @throws LimitReached */
  private async reserve({ workspaceId, shared, createdBy }: View): Promise<number> {
    await this.views.lockList(workspaceId);
    const { count, last } = await this.views.findUsage(workspaceId, shared ? null : createdBy);
    const { views, shared_views: sharedViews } = this.config.resourceLimits;
    if (count >= (shared ? sharedViews : views)) throw new LimitReached();
    return Math.min(last + 1, MAX_POSITION);
  }

  private async lock(principal: StaffPrincipal, id: string): Promise<View> {
    const view = await this.views.lockVisible(principal, id);
    if (!view) throw new NotFound();
    return view;
  }
}

export const MAX_POSITION = 1_000_000;

/** Shared views are for admins of all channels, and for keys. */
function assertMayShare(principal: StaffPrincipal): void {
  assertAllowed(principal, 'views:write', { role: 'admin' });
}

function memberOf(principal: StaffPrincipal): string | null {
  return principal.kind === 'agent' ? principal.memberId : null;
}
