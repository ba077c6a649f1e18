import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import type { Principal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import { OwnViewHooks } from './own-view-hooks.js';
import type { View } from './view.js';
import { toViewSummary } from './view.js';
import type { ViewEvent } from './views.events.js';

/** Tells who sees a view of its change: all agents by an event, of one's own view its member alone. */
@Injectable()
export class ViewLogService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLogService,
    private readonly hooks: OwnViewHooks,
  ) {}

  /** Call it within the unit of work of the change. */
  async record(type: ViewEvent, view: View, principal: Principal): Promise<void> {
    const { workspaceId, shared, createdBy: memberId } = view;
    const payload = toViewSummary(view);
    if (shared) await this.events.record({ type, workspaceId, actor: actorOf(principal), payload });
    else if (memberId !== null) this.units.afterCommit(() => this.hooks.run({ type, memberId, view: payload }));
  }
}
