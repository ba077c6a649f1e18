import type { WebhookView } from '@support-chat/sdk';

/** Props of each part of a webhook's settings. */
export interface WebhookPartProps {
  webhook: WebhookView;
  onChange(webhook: WebhookView): void;
}
