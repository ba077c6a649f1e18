import { Column, ColumnOptions, PrimaryColumn } from 'typeorm';

/** A column of the primary key. Keys are `(workspace_id, id)`, so every reference to a row includes its workspace. */
export function KeyColumn(name: string, primaryKeyConstraintName: string): PropertyDecorator {
  return PrimaryColumn({ name, type: 'uuid', primaryKeyConstraintName });
}

export function IdColumn(name: string, options: ColumnOptions = {}): PropertyDecorator {
  return Column({ name, type: 'uuid', ...options });
}

/** A time with milliseconds, the precision of a Date. The wire format pads it to six digits. */
export function TimeColumn(name: string, options: ColumnOptions = {}): PropertyDecorator {
  return Column({ name, type: 'timestamptz', precision: 3, ...options });
}

/** The database time at which the row is written. Unlike `now()` it is taken after any wait for a lock. */
export function WrittenAtColumn(name: string): PropertyDecorator {
  return TimeColumn(name, { default: () => 'clock_timestamp()' });
}

export function JsonColumn(name: string, options: ColumnOptions = {}): PropertyDecorator {
  return Column({ name, type: 'jsonb', ...options });
}

export function TextColumn(name: string, options: ColumnOptions = {}): PropertyDecorator {
  return Column({ name, type: 'text', ...options });
}
