export { toWorkspaceRecord } from './workspace.js';
export type { Workspace, WorkspaceRecord } from './workspace.js';
export { WorkspacesModule } from './workspaces.module.js';
export { WorkspacesService } from './workspaces.service.js';
