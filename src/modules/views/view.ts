import { toWireTime } from '../../kernel/clock.js';
import type { FilterRecord } from '../conversations/index.js';

/** Filters as stored. null stands for what an erased contact took with it: it matches nothing. */
export type ViewFilters = { [Name in keyof FilterRecord]: FilterRecord[Name] | null };

/** Saved filters of the inbox: a member's own, or shared by all. */
export interface View {
  id: string;
  workspaceId: string;
  name: string;
  /** Equal for names that differ in case alone. */
  nameKey: string;
  filters: ViewFilters;
  shared: boolean;
  position: number;
  /** The member whose own it is, or who shared it; null if an API key did. */
  createdBy: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** View in wire format. */
export interface ViewRecord {
  id: string;
  name: string;
  filters: ViewFilters;
  shared: boolean;
  position: number;
  created_by: string | null;
  created_at: string;
  updated_at: string;
}

/** A view in events, without its filters: how much of them a reader may see depends on the reader. */
export type ViewSummary = Omit<ViewRecord, 'filters'>;

export function toViewSummary(view: View): ViewSummary {
  return {
    id: view.id,
    name: view.name,
    shared: view.shared,
    position: view.position,
    created_by: view.createdBy,
    created_at: toWireTime(view.createdAt),
    updated_at: toWireTime(view.updatedAt),
  };
}

export function viewNameKey(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}

/** True if a filter lost its value, so that no conversation matches. */
export function matchesNothing(filters: ViewFilters): boolean {
  return Object.values(filters).includes(null);
}
