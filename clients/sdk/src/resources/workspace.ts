import type { AuthorizedApi } from '../authorized-api.js';
import type { UpdateWorkspaceBody } from '../bodies.js';
import type { WorkspaceView } from '../types.js';

/** The caller's own workspace. */
export class Workspace {
  constructor(private readonly api: AuthorizedApi) {}

  get(): Promise<WorkspaceView> {
    return this.api.get('/v1/workspace');
  }

  update(body: UpdateWorkspaceBody): Promise<WorkspaceView> {
    return this.api.patch('/v1/workspace', body);
  }
}
