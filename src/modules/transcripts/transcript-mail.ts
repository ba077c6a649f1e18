import type { MailPart } from '../../platform/mail/mail-layout.js';
import { renderMail } from '../../platform/mail/mail-layout.js';
import { inertName, inertText } from '../../platform/mail/mail-text.js';
import type { Mail } from '../../platform/mail/mailer.js';
import type { Transcript, TranscriptEntry } from './transcript.js';
import { remarksOf, textOf, titleOf } from './transcript.js';

/** Nothing in it becomes a link: visitors write what they like, and anybody can ask for a transcript. */
export function renderTranscriptMail(transcript: Transcript): Pick<Mail, 'subject' | 'text' | 'html'> {
  const subject = inertName(titleOf(transcript));
  const body = renderMail(subject, [
    { kind: 'text', text: `This is the transcript of your conversation #${transcript.number}.` },
    ...transcript.entries.map(entry => toPart(entry, transcript)),
    ...remarksOf(transcript).map(text => ({ kind: 'small' as const, text })),
    { kind: 'small', text: 'If you did not ask for this transcript, ignore this mail.' },
  ]);
  return { subject, ...body };
}

function toPart(entry: TranscriptEntry, { times }: Transcript): MailPart {
  const at = times.format(new Date(entry.at));
  if (entry.event !== null) return { kind: 'small', text: `${at} · ${entry.event}` };
  return { kind: 'quote', name: inertName(entry.sender), at, text: inertText(textOf(entry)) };
}
