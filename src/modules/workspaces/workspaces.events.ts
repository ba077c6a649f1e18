import type { EventDefinitions } from '../../kernel/event-definition.js';
import { auditedAs, NOT_SENT, workspaceRecord } from '../../kernel/event-definition.js';
import type { WorkspaceRecord } from './workspace.js';

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'workspace.created': WorkspaceRecord;
    'workspace.updated': WorkspaceRecord;
  }
}

const workspace = { audit: auditedAs('workspace'), personal: 'none' } as const;

export const WORKSPACE_EVENTS: EventDefinitions<'workspace.created' | 'workspace.updated'> = {
  'workspace.created': { summary: 'A workspace was created.', ...NOT_SENT, ...workspace },
  'workspace.updated': { summary: 'The workspace was updated.', ...workspaceRecord('WorkspaceView'), ...workspace },
};
