import type { TimeDisplay } from '../../kernel/display-time.js';
import type { MailPart } from '../../platform/mail/mail-layout.js';
import { renderMail } from '../../platform/mail/mail-layout.js';
import { inertName } from '../../platform/mail/mail-text.js';
import type { Mail } from '../../platform/mail/mailer.js';
import type { MessageRecord } from '../messages/index.js';

export interface FollowUp {
  to: string;
  desk: string;
  answers: readonly MessageRecord[];
  times: TimeDisplay;
  /** Where the chat goes on; null if no such page is known. */
  page: string | null;
  replyEmail: string | null;
  unsubscribeUrl: string;
}

/** A file that a mail names. */
interface NamedFile {
  name?: string;
}

export function renderFollowUp(followUp: FollowUp): Mail {
  const { to, answers, page, replyEmail, unsubscribeUrl } = followUp;
  const desk = inertName(followUp.desk) || 'the support desk';
  const subject = answers.length === 1 ? `New message from ${desk}` : `${answers.length} new messages from ${desk}`;
  const parts: MailPart[] = [
    { kind: 'text', text: `Hello, ${desk} has answered you in the chat, and you have not read this yet:` },
    ...answers.map(answer => toQuote(answer, followUp)),
    ...(page === null ? [] : [{ kind: 'link', label: 'Continue the chat', url: page } as const]),
    { kind: 'small', text: replyEmail === null ? 'Nobody reads replies to this mail.' : 'You can reply to this mail.' },
    { kind: 'small', text: 'No more mails about unread messages:', url: unsubscribeUrl },
  ];
  return {
    to,
    subject,
    ...renderMail(subject, parts),
    ...(replyEmail === null ? {} : { replyTo: replyEmail }),
    headers: {
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
    },
  };
}

function toQuote(
  { sender_name, created_at, content, attachments }: MessageRecord,
  { desk, times }: FollowUp,
): MailPart {
  const files: readonly NamedFile[] = attachments;
  const text = [...(content ? [content] : []), ...files.map(({ name }) => `[File: ${name ?? 'file'}]`)].join('\n');
  return { kind: 'quote', name: inertName(sender_name ?? desk), at: times.format(new Date(created_at)), text };
}
