import { VisitorClient } from '@support-chat/sdk';
import type { ChatCore } from './chat-core.js';

const TTL_MS = 60_000;

/** Keeps the configuration up to date: who is there, and until when, changes while a page is open. */
export class FreshConfig {
  private readAt = Date.now();

  constructor(private readonly chat: Pick<ChatCore, 'shell' | 'changed'>) {}

  /** Reads it again if it is older than a minute. */
  async refresh(): Promise<void> {
    if (Date.now() - this.readAt < TTL_MS) return;
    this.readAt = Date.now();
    const { baseUrl, widgetToken, config } = this.chat.shell;
    const fresh = await VisitorClient.config({ baseUrl, widgetToken }).catch(() => undefined);
    Object.assign(config, fresh?.widget_config);
    this.chat.changed();
  }
}
