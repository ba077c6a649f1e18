import { Injectable } from '@nestjs/common';
import type { Principal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { WorkspaceEntity } from './workspace.entity.js';
import type { Workspace } from './workspace.js';

/** The one table without a `workspace_id`: a caller sees the row of its own workspace. */
@Injectable()
export class WorkspacesRepository {
  constructor(private readonly units: UnitOfWork) {}

  findVisible(principal: Principal): Promise<Workspace | null> {
    return this.rows.findOneBy({ id: principal.workspaceId });
  }

  /** Locks the row until the unit of work ends, so that concurrent changes do not overwrite each other. */
  lockVisible(principal: Principal): Promise<Workspace | null> {
    return this.rows.findOne({ where: { id: principal.workspaceId }, lock: { mode: 'for_no_key_update' } });
  }

  find(id: string): Promise<Workspace | null> {
    return this.rows.findOneBy({ id });
  }

  async insert(workspace: Workspace): Promise<void> {
    await this.rows.insert(workspace as WorkspaceEntity);
  }

  async save({ id, ...columns }: Workspace): Promise<void> {
    await this.rows.update({ id }, columns);
  }

  private get rows() {
    return this.units.manager.getRepository(WorkspaceEntity);
  }
}
