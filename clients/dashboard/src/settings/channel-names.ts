import type { ChannelView } from '@support-chat/sdk';
import { formats, t } from './texts/index.js';

/** The channels of an entry, by name as far as the reader sees them. Null is all. */
export function describeChannels(ids: readonly string[] | null, channels: readonly ChannelView[]): string {
  if (ids === null) return t('allChannels');
  if (ids.length === 0) return t('noChannels');
  const names = channels.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  return names.length === ids.length
    ? t('channelNames', { names: formats().list(names) })
    : t('channelsOf', { count: ids.length });
}
