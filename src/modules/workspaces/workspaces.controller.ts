import { Body, Controller, Get, Patch } from '@nestjs/common';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller } from '../../platform/access/caller.decorator.js';
import { Answers, Section, Summary } from '../../platform/http/answers.decorator.js';
import { toWorkspaceRecord } from './workspace.js';
import { UpdateWorkspaceBody, WorkspaceView } from './workspace.schema.js';
import { WorkspacesService } from './workspaces.service.js';

@Section('Workspace', "The caller's workspace: its name, language, time zone and business hours.")
@Controller('workspace')
export class WorkspacesController {
  constructor(private readonly workspaces: WorkspacesService) {}

  @Get()
  @Summary("Get the caller's workspace.")
  @Allow('workspace:read')
  @Answers(WorkspaceView)
  async get(@Caller() caller: StaffPrincipal): Promise<WorkspaceView> {
    return toWorkspaceRecord(await this.workspaces.get(caller));
  }

  @Patch()
  @Summary('Update name, locale, time zone or business hours.')
  @Allow('workspace:write')
  @Answers(WorkspaceView)
  async update(@Caller() caller: StaffPrincipal, @Body() body: UpdateWorkspaceBody): Promise<WorkspaceView> {
    return toWorkspaceRecord(await this.workspaces.update(caller, body));
  }
}
