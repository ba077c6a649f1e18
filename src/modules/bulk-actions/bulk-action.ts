import type { Priority } from '../conversations/index.js';

export const BULK_ACTIONS = [
  'assign',
  'resolve',
  'reopen',
  'snooze',
  'wake',
  'tag',
  'untag',
  'priority',
  'read',
] as const;

/** An action on each conversation, with what it needs. */
export type BulkAction =
  | { action: 'assign'; memberId: string | null }
  | { action: 'snooze'; until: Date | null }
  | { action: 'tag' | 'untag'; tag: string }
  | { action: 'priority'; priority: Priority }
  | { action: 'resolve' | 'reopen' | 'wake' | 'read' };

/** The result for one conversation; `error` is undefined if it succeeded. */
export interface BulkOutcome {
  id: string;
  error?: unknown;
}
