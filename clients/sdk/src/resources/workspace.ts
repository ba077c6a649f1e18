import type { AuthorizedApi } from '../authorized-api.js';
import type { ListAuditLogQuery, UpdateWorkspaceBody } from '../bodies.js';
import type { Page } from '../pages.js';
import type { AuditEntryView, WorkspaceView } from '../types.js';

/** The caller's workspace. */
export class Workspace {
  constructor(private readonly api: AuthorizedApi) {}

  get(): Promise<WorkspaceView> {
    return this.api.get('/v1/workspace');
  }

  update(body: UpdateWorkspaceBody): Promise<WorkspaceView> {
    return this.api.patch('/v1/workspace', body);
  }

  /**
   * Returns who did what to keys, members, invites, channels, bots and sessions, and from where. For owners, admins,
   * keys.
   */
  auditLog(query?: ListAuditLogQuery): Promise<Page<AuditEntryView>> {
    return this.api.get('/v1/audit-log', query);
  }
}
