import type { BotView } from '@support-chat/sdk';

/** Props of each part of a bot's settings. */
export interface BotPartProps {
  bot: BotView;
  onChange(bot: BotView): void;
}
