import { Column, ColumnOptions, PrimaryColumn } from 'typeorm';

/** The columns that most tables share, written once: half of the primary key, references, times, JSON. */

/** Rows of a workspace are keyed `(workspace_id, id)`, so that every reference to them names the workspace too. */
export function KeyColumn(name: string, primaryKeyConstraintName: string): PropertyDecorator {
  return PrimaryColumn({ name, type: 'uuid', primaryKeyConstraintName });
}

export function IdColumn(name: string, options: ColumnOptions = {}): PropertyDecorator {
  return Column({ name, type: 'uuid', ...options });
}

/** Milliseconds: what a Date can hold. The wire pads to six digits. */
export function TimeColumn(name: string, options: ColumnOptions = {}): PropertyDecorator {
  return Column({ name, type: 'timestamptz', precision: 3, ...options });
}

/** The database's own time, taken when the row is written: after any lock, unlike `now()`. */
export function WrittenAtColumn(name: string): PropertyDecorator {
  return TimeColumn(name, { default: () => 'clock_timestamp()' });
}

export function JsonColumn(name: string, options: ColumnOptions = {}): PropertyDecorator {
  return Column({ name, type: 'jsonb', ...options });
}

export function TextColumn(name: string, options: ColumnOptions = {}): PropertyDecorator {
  return Column({ name, type: 'text', ...options });
}
