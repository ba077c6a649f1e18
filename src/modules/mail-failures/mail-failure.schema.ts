import { toWireTime } from '../../kernel/clock.js';
import type { MailFailure } from '../../platform/mail/mail-failure.js';
import { Id, Integer, Text, Time } from '../../platform/schemas/fields.js';

const nullable = true;

/** A mail that was given up. */
export class MailFailureView {
  @Id() id!: string;
  @Text({ example: 'invite', description: 'What the mail was: `invite`, `password_reset`, …' }) kind!: string;
  @Id({ description: 'The row that it was about, e.g. the invite.' }) subject_id!: string;
  @Text({ nullable, max: 254, example: 'ada@example.com' }) recipient!: string | null;
  @Integer({ min: 1 }) attempts!: number;
  @Text({
    nullable,
    max: 500,
    example: '550 5.1.1 no such user',
    description: 'What the mail server said at the last attempt.',
  })
  error!: string | null;
  @Time() created_at!: string;
  @Time() failed_at!: string;
}

export function toMailFailureView(failure: MailFailure): MailFailureView {
  const { id, kind, subjectId, recipient, attempts, lastError, createdAt, endedAt } = failure;
  return {
    id,
    kind,
    subject_id: subjectId,
    recipient,
    attempts,
    error: lastError,
    created_at: toWireTime(createdAt),
    failed_at: toWireTime(endedAt),
  };
}
