/**
 * The channels that a caller may see. `null` means all channels, including later ones; a list means only these, and an
 * empty list means none. A list never turns into `null`, even when all its channels are deleted.
 */
export type ChannelScope = readonly string[] | null;

export const ALL_CHANNELS: ChannelScope = null;

/** Returns the intersection of two scopes. A scope can be narrowed, never widened. */
export function narrow(scope: ChannelScope, by: ChannelScope): ChannelScope {
  if (scope === null) return by;
  if (by === null) return scope;
  const allowed = new Set(by);
  return scope.filter(id => allowed.has(id));
}

export function covers(scope: ChannelScope, channelId: string): boolean {
  return scope === null || scope.includes(channelId);
}

/** The wire shape of a scope. */
export interface ScopeRecord {
  type: 'all' | 'channels';
  channel_ids: string[] | null;
}

export function toScopeRecord(scope: ChannelScope): ScopeRecord {
  return scope === null ? { type: 'all', channel_ids: null } : { type: 'channels', channel_ids: [...scope] };
}
