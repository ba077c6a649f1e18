import type { MessageView } from '@support-chat/sdk';
import { Text } from '@support-chat/ui/text.jsx';
import { useState } from 'preact/hooks';
import { Avatar } from '../avatar.js';
import { formats, t } from '../texts/index.js';
import { Attachment } from './attachment.js';
import { EditForm } from './edit-form.js';
import { edits } from './edits.js';
import { MessageMenu } from './message-menu.js';
import { Quote } from './quote.js';

/** Longer texts are folded. */
const FOLDED_LINES = 24;
const FOLDED_CHARS = 2_400;

export interface MessageProps {
  message: MessageView;
  isFirst: boolean;
  isLast: boolean;
  /** The message of a link, which is marked. */
  isLinked: boolean;
  /** "Seen" below the last one that the contact has read. */
  isSeen: boolean;
  senderName: string;
}

/** A stored message: of the contact, of the team, or a note of it. */
export function Message(props: MessageProps) {
  const { message, isFirst, isLast, isLinked, isSeen, senderName } = props;
  const { id, sender_type, sender_id, sender_avatar_url, created_at, edited_at, deleted_at } = message;
  const isEditing = edits.get(id).value !== undefined;
  const side = message.private ? 'note' : sender_type === 'contact' ? 'theirs' : 'ours';
  const classes = ['message', side, isFirst && 'first', isLast && 'last', isLinked && 'linked'].filter(Boolean);
  return (
    <li class={classes.join(' ')} id={`message-${id}`}>
      {isFirst && (
        <div class="sender">
          <Avatar id={sender_id} name={senderName} url={sender_avatar_url} />
          <b dir="auto">{senderName}</b>
          {sender_type === 'bot' && <span class="mark">{t('bot')}</span>}
          {message.private && <span class="mark private">{t('onlyTeam')}</span>}
          <time dateTime={created_at} title={new Date(created_at).toLocaleString(formats().locale)}>
            {formats().clock(created_at)}
          </time>
        </div>
      )}
      {message.reply_to_id !== null && deleted_at === null && (
        <Quote conversationId={message.conversation_id} id={message.reply_to_id} />
      )}
      {deleted_at ? <p class="bubble gone">{t('unsent')}</p> : <Content message={message} isEditing={isEditing} />}
      {deleted_at === null && !isEditing && <MessageMenu message={message} />}
      {(edited_at !== null || isSeen) && deleted_at === null && (
        <p class="facts">{[edited_at !== null && t('edited'), isSeen && t('seen')].filter(Boolean).join(' · ')}</p>
      )}
    </li>
  );
}

interface ContentProps {
  message: MessageView;
  isEditing: boolean;
}

function Content({ message, isEditing }: ContentProps) {
  const { content, attachments, sender_type } = message;
  return (
    <>
      {attachments.map(file => (
        <Attachment key={file.id} file={file} />
      ))}
      {isEditing ? (
        <EditForm message={message} />
      ) : (
        content && <MessageText text={content} isMarkdown={sender_type !== 'contact'} />
      )}
    </>
  );
}

/** A text, of which a long one is folded. */
export function MessageText({ text, isMarkdown }: { text: string; isMarkdown: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const isLong = text.length > FOLDED_CHARS || text.split('\n').length > FOLDED_LINES;
  return (
    <div class={isEmojiOnly(text) ? 'bubble large' : 'bubble'} dir="auto">
      <div class={isLong && !isOpen ? 'text folded' : 'text'}>
        <Text text={text} markdown={isMarkdown} />
      </div>
      {isLong && (
        <button class="link" type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t(isOpen ? 'showLess' : 'showAll')}
        </button>
      )}
    </div>
  );
}

function isEmojiOnly(text: string): boolean {
  return /^(?:\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}\ufe0f\u200d]*\s*){1,3}$/u.test(text);
}
