import { defineError } from '../../kernel/domain-error.js';

export const TranscriptNotReady = defineError(
  'conflict',
  'transcript_not_ready',
  'Nobody has answered yet. A transcript is mailed once a person has.',
);
export const MailDisabled = defineError('unprocessable', 'mail_disabled', 'The service has no mail server.');
