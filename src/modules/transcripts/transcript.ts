import type { TimeDisplay } from '../../kernel/display-time.js';
import type { AttachmentRef } from '../attachments/index.js';
import type { SenderType } from '../conversations/index.js';
import type { MessageRecord } from '../messages/index.js';

export const TRANSCRIPT_FORMATS = ['json', 'text', 'html'] as const;
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

/** Longer conversations are cut: a transcript has the newest messages within both limits. */
export const MAX_MESSAGES = 1_000;
export const MAX_CHARACTERS = 1_000_000;

/** A file as a transcript in JSON describes it. URLs end after an hour, and have no use in a document. */
export type TranscriptAttachment = Pick<AttachmentRef, 'id' | 'name' | 'size' | 'content_type'>;

export interface TranscriptEntry {
  at: string;
  sender_type: SenderType;
  /** The name as it is shown. */
  sender: string;
  private: boolean;
  content: string | null;
  /** Names of the attached files. */
  files: string[];
  attachments: TranscriptAttachment[];
  /** Describes an entry of the timeline; null for a message. */
  event: string | null;
}

/** The messages of a conversation for one reader, oldest first. */
export interface Transcript {
  number: number;
  /** The name of the desk. */
  desk: string;
  times: TimeDisplay;
  /** False if earlier messages are left out. */
  complete: boolean;
  entries: TranscriptEntry[];
}

/** The names of senders without one of their own. */
export interface Names {
  desk: string;
  contact: string;
}

const EVENTS: Readonly<Record<string, string>> = {
  resolved: 'The conversation was resolved.',
  closed_by_contact: 'The visitor ended the chat.',
  reopened: 'The conversation was reopened.',
  assigned: 'The conversation was assigned.',
  unassigned: 'The conversation was unassigned.',
  handed_over: 'The conversation was handed over.',
  snoozed: 'The conversation was snoozed.',
  woken: 'The snooze ended.',
  rated: 'The visitor rated the conversation.',
};

/** @returns null for an unsent message */
export function toTranscriptEntry(message: MessageRecord, { desk, contact }: Names): TranscriptEntry | null {
  if (message.deleted_at !== null) return null;
  const event = message.content_type === 'event' ? String(message.metadata.event) : null;
  return {
    at: message.created_at,
    sender_type: message.sender_type,
    sender: message.sender_type === 'contact' ? contact : (message.sender_name ?? desk),
    private: message.private,
    content: message.content,
    files: message.attachments.map(({ name }) => name),
    attachments: message.attachments.map(({ id, name, size, content_type }) => ({ id, name, size, content_type })),
    event: event === null ? null : (EVENTS[event] ?? event),
  };
}

export function titleOf({ number, desk }: Transcript): string {
  return `Conversation #${number} with ${desk}`;
}

/** Lines above the messages. */
export function remarksOf({ complete, times }: Transcript): string[] {
  return [`Times are in ${times.timezone}.`, ...(complete ? [] : ['Earlier messages are left out.'])];
}

/** Returns the content of a message, with its files by name. */
export function textOf({ content, files }: TranscriptEntry): string {
  return [...(content === null || content === '' ? [] : [content]), ...files.map(name => `[File: ${name}]`)].join('\n');
}

export function headOf({ at, sender, private: isPrivate }: TranscriptEntry, times: TimeDisplay): string {
  return `${times.format(new Date(at))} · ${sender}${isPrivate ? ' (private note)' : ''}`;
}
