import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock } from '../../kernel/clock.js';
import { NotFound } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import type { Principal, StaffPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import type { BusinessHours } from '../../kernel/business-hours.js';
import type { Workspace } from './workspace.js';
import { toWorkspaceRecord } from './workspace.js';
import './workspaces.events.js';
import { WorkspacesRepository } from './workspaces.repository.js';

export interface WorkspaceChanges {
  name?: string | undefined;
  locale?: string | undefined;
  timezone?: string | undefined;
  business_hours?: BusinessHours | null | undefined;
}

@Injectable()
export class WorkspacesService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLogService,
    private readonly workspaces: WorkspacesRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates an empty workspace. Registration adds the system bot, the channel and the owner in the same unit of work.
   */
  async create(name: string): Promise<Workspace> {
    const now = this.clock.now();
    const workspace: Workspace = {
      id: newId(),
      name,
      locale: 'en',
      timezone: 'UTC',
      businessHours: null,
      createdAt: now,
      updatedAt: now,
    };
    return this.units.run(async () => {
      await this.workspaces.insert(workspace);
      await this.events.record({
        type: 'workspace.created',
        workspaceId: workspace.id,
        actor: { type: 'system', id: null },
        payload: toWorkspaceRecord(workspace),
      });
      return workspace;
    });
  }

  async get(principal: Principal): Promise<Workspace> {
    const workspace = await this.workspaces.findVisible(principal);
    if (!workspace) throw new NotFound();
    return workspace;
  }

  find(id: string): Promise<Workspace | null> {
    return this.workspaces.find(id);
  }

  async update(principal: StaffPrincipal, changes: WorkspaceChanges): Promise<Workspace> {
    return this.units.run(async () => {
      const workspace = await this.workspaces.lockVisible(principal);
      if (!workspace) throw new NotFound();
      workspace.name = changes.name ?? workspace.name;
      workspace.locale = changes.locale ?? workspace.locale;
      workspace.timezone = changes.timezone ?? workspace.timezone;
      if (changes.business_hours !== undefined) workspace.businessHours = changes.business_hours;
      workspace.updatedAt = this.clock.now();
      await this.workspaces.save(workspace);
      await this.events.record({
        type: 'workspace.updated',
        workspaceId: workspace.id,
        actor: actorOf(principal),
        payload: toWorkspaceRecord(workspace),
      });
      return workspace;
    });
  }
}
