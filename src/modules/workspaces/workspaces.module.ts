import { Module } from '@nestjs/common';
import { WorkspaceEntity } from './workspace.entity.js';
import { WorkspacesController } from './workspaces.controller.js';
import { WORKSPACE_EVENTS } from './workspaces.events.js';
import { WorkspacesRepository } from './workspaces.repository.js';
import { WorkspacesService } from './workspaces.service.js';

@Module({
  controllers: [WorkspacesController],
  providers: [WorkspacesRepository, WorkspacesService],
  exports: [WorkspacesService],
})
export class WorkspacesModule {
  static readonly entities = [WorkspaceEntity];
  static readonly events = WORKSPACE_EVENTS;
}
