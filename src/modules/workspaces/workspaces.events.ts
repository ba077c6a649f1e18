import type { WorkspaceRecord } from './workspace.js';

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'workspace.created': WorkspaceRecord;
    'workspace.updated': WorkspaceRecord;
  }
}
