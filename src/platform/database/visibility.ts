import type { ChannelScope } from '../../kernel/channel-scope.js';
import type { Principal } from '../../kernel/principal.js';
import { contactOf, scopeOf } from '../../kernel/principal.js';

/** The limits of a caller: it may see the rows of this workspace, contact and channels. */
export interface Visibility {
  workspaceId: string;
  /** The contact of a visitor, or of a bot's conversation; null for all other callers. */
  contactId: string | null;
  channels: ChannelScope;
}

export function visibilityOf(principal: Principal): Visibility {
  return {
    workspaceId: principal.workspaceId,
    contactId: contactOf(principal),
    channels: scopeOf(principal),
  };
}

/** Columns that decide who may see a row. Without `channel`, it belongs to all; without `contact`, to no visitor. */
export interface RowColumns {
  workspace: string;
  channel?: string | undefined;
  contact?: string | undefined;
}

/** The columns of a table that has all three. */
export function scopeColumnsOf(table: string): RowColumns {
  return { workspace: `${table}.workspace_id`, channel: `${table}.channel_id`, contact: `${table}.contact_id` };
}

/** SQL of the values of a caller's `Visibility`: parameters, or columns of a relation with one row per caller. */
export interface CallerValues {
  workspace: string;
  contact: string;
  channels: string;
}

/** Returns SQL that is true if the caller may see the row. Every query on behalf of a caller contains it. */
export function isVisible({ workspace, channel, contact }: RowColumns, caller: CallerValues): string {
  const conditions = [
    `${workspace} = ${caller.workspace}`,
    contact === undefined
      ? `${caller.contact} IS NULL`
      : `(${caller.contact} IS NULL OR ${contact} = ${caller.contact})`,
    ...(channel === undefined ? [] : [isInChannels(channel, caller.channels)]),
  ];
  return conditions.join(' AND ');
}

/** Returns SQL that is true if the channel is one of the caller's. */
export function isInChannels(channel: string, channels: string): string {
  return `(${channels} IS NULL OR ${channel} = ANY(${channels}))`;
}
