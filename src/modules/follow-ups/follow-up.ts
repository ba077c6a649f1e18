import type { Channel } from '../channels/index.js';
import type { Contact } from '../contacts/index.js';
import type { Conversation } from '../conversations/index.js';

const MINUTE_MS = 60_000;
/** How often a contact with an open socket is looked at again. */
const RECHECK_MINUTES = 5;

/** The mail is for these messages: after one `seq`, up to and including another. */
export interface SeqRange {
  after: number;
  upTo: number;
}

/** The page where a chat began, which conversations may have. */
interface Started {
  context?: { page?: { url?: string | null } | null } | null;
}

/** False if no answer of this conversation goes to the contact by mail, however long it stays unread. */
export function isFollowedUp(conversation: Conversation, channel: Channel, contact: Contact): boolean {
  return (
    channel.followupEmailMinutes !== null &&
    conversation.status !== 'resolved' &&
    conversation.erasedAt === null &&
    contact.endedAt === null &&
    contact.email !== null &&
    !contact.blocked &&
    !contact.emailUnsubscribed
  );
}

/** When an answer that was sent at this time is due. */
export function dueAfter(sentAt: Date, { followupEmailMinutes }: Channel): Date {
  return new Date(sentAt.getTime() + (followupEmailMinutes ?? 0) * MINUTE_MS);
}

export function recheckAt(now: Date, { followupEmailMinutes }: Channel): Date {
  return new Date(now.getTime() + Math.min(RECHECK_MINUTES, followupEmailMinutes ?? RECHECK_MINUTES) * MINUTE_MS);
}

/**
 * Returns the page where the chat began, for a link in a mail. Only on a site that the channel names: visitors choose
 * the address of their page, and could otherwise send their victims anywhere.
 */
export function startPageOf(conversation: object, { allowedOrigins }: Pick<Channel, 'allowedOrigins'>): string | null {
  const url = (conversation as Started).context?.page?.url;
  if (typeof url !== 'string' || !URL.canParse(url)) return null;
  const { origin, protocol } = new URL(url);
  return /^https?:$/.test(protocol) && allowedOrigins.includes(origin) ? url : null;
}
