import type { LastMessageView, MessageView } from '@support-chat/sdk';

/** A side of a conversation that reads. */
export type Side = 'agents' | 'contact';

const PREVIEW_CHARS = 140;

/** Compares as text: a later version of a message is greater. An unsent message stays so. */
export function revisionOf({ deleted_at, edited_at }: MessageView): string {
  return deleted_at ? `~${deleted_at}` : (edited_at ?? '');
}

/** The side for which a message counts as unread; undefined for private notes and entries of the timeline. */
export function unreadSideOf({ sender_type, content_type, private: isPrivate }: MessageView): Side | undefined {
  if (sender_type === 'contact') return 'agents';
  return isPrivate || content_type === 'event' ? undefined : 'contact';
}

/** The message as lists show it, made as the service makes it. */
export function previewOf({ id, content, attachments, sender_type, created_at }: MessageView): LastMessageView {
  const text = content || attachments.map(({ name }) => `📎 ${name}`).join(', ');
  const preview = text.slice(0, PREVIEW_CHARS).replace(/[\uD800-\uDBFF]$/, '');
  return { id, preview, sender_type, created_at };
}
