import type { ChannelView } from '@support-chat/sdk';

/** Props of each part of a channel's settings. */
export interface ChannelPartProps {
  channel: ChannelView;
  onChange(channel: ChannelView): void;
}
