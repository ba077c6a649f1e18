import type { ContactRecord } from '../contacts/index.js';
import type { ConversationWithContact } from '../conversations/index.js';
import type { MessageRecord } from '../messages/index.js';
import type { SearchedType } from './search-document.js';
import type { Fields, Highlights } from './text/matches.js';
import { excerpt } from './text/excerpt.js';

/** A hit with the thing as its caller sees it. */
export interface FoundItem {
  type: SearchedType;
  /** null for contacts. */
  conversation: ConversationWithContact | null;
  message?: MessageRecord;
  contact?: ContactRecord;
  highlights: Highlights;
}

/** The searched fields of each type. The index has the same texts (`search-sources.repository.ts`). */
export function messageFields({ content }: MessageRecord): Fields {
  return { content };
}

export function conversationFields({ number, subject, pre_chat }: ConversationWithContact): Fields {
  const answers = Object.entries(pre_chat ?? {}).filter((answer): answer is [string, string] => {
    return typeof answer[1] === 'string';
  });
  return {
    number: String(number),
    subject,
    ...Object.fromEntries(answers.map(([key, answer]) => [`pre_chat.${key}`, answer])),
  };
}

export function contactFields({ name, email, phone }: ContactRecord): Fields {
  return { name, email, phone };
}

/** Shortens the content to the surroundings of its first match. */
export function toFoundMessage(
  message: MessageRecord,
  conversation: ConversationWithContact,
  { content: ranges = [] }: Highlights,
): FoundItem {
  const shortened = excerpt(message.content ?? '', ranges);
  return {
    type: 'message',
    conversation,
    message: { ...message, content: shortened.text },
    highlights: { content: shortened.ranges },
  };
}
