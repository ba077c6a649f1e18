import { toWireTime } from '../../kernel/clock.js';
import type { BusinessHours } from '../../kernel/business-hours.js';

/** One company's support desk. All other data belongs to a workspace. */
export interface Workspace {
  id: string;
  name: string;
  locale: string;
  timezone: string;
  businessHours: BusinessHours | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface WorkspaceRecord {
  id: string;
  name: string;
  locale: string;
  timezone: string;
  business_hours: BusinessHours | null;
  created_at: string;
  updated_at: string;
}

export function toWorkspaceRecord(workspace: Workspace): WorkspaceRecord {
  return {
    id: workspace.id,
    name: workspace.name,
    locale: workspace.locale,
    timezone: workspace.timezone,
    business_hours: workspace.businessHours,
    created_at: toWireTime(workspace.createdAt),
    updated_at: toWireTime(workspace.updatedAt),
  };
}
