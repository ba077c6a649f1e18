import { defineError } from '../../kernel/domain-error.js';

export const ReplayRunning = defineError(
  'conflict',
  'replay_running',
  'A replay to this webhook is not finished yet. Wait until its deliveries were attempted.',
);
export const WebhookDisabled = defineError('conflict', 'webhook_disabled', 'The webhook is disabled. Enable it first.');
