import type { AttachmentView, VisitorMessageView } from '@support-chat/sdk';
import { FILE, icon } from '@support-chat/ui/icons.jsx';
import { Text } from '@support-chat/ui/text.jsx';
import type { ComponentChildren, TargetedEvent, VNode } from 'preact';
import type { ChatController } from '../chat.js';
import type { OutboxItem } from '../state/outbox.js';
import { avatar } from './avatar.jsx';
import type { Entry } from './entries.js';

/** Draws a stored message. @param status how far an own message has come, after its time */
export function renderMessage(
  chat: ChatController,
  { key, message, isFirst, isLast }: Entry & { kind: 'message' },
  status: string | false,
): VNode {
  const { text, translator, config } = chat;
  const { sender_type, sender_name, sender_avatar_url, metadata, created_at, edited_at, deleted_at } = message;
  const isOwn = sender_type === 'contact';
  const isBot = sender_type === 'bot' && !metadata['auto'];
  const name = sender_name ?? config.title;
  return (
    <li key={key} class={`${isOwn ? 'own' : 'their'}${isFirst ? ' first' : ''}`}>
      {!isOwn && isLast && avatar(name, sender_avatar_url, isBot)}
      {isFirst && (
        <b class={isOwn ? 'hidden' : 'sender'}>
          {isOwn ? text('you') : name}
          {isBot && <i>{text('bot')}</i>}
        </b>
      )}
      {deleted_at ? <div class="bubble gone">{text('deleted')}</div> : renderContent(chat, message, isOwn)}
      {isLast && (
        <small class="meta">
          <time dateTime={created_at}>{translator.clock(created_at)}</time>
          {edited_at && ` · ${text('edited')}`}
          {status && ` · ${status}`}
        </small>
      )}
    </li>
  );
}

/** Draws a message that the service has not confirmed. */
export function renderPending(chat: ChatController, item: OutboxItem): VNode {
  const { text, isOnline, outbox } = chat;
  return (
    <li key={item.id} class="own first">
      {renderContent(chat, item, true)}
      {item.failed ? (
        <small class="meta error" role="alert">
          {text('failed')}
          <button onClick={() => outbox.retry(item.id)}>{text('retry')}</button>
          <button onClick={() => outbox.delete(item.id)}>{text('delete')}</button>
        </small>
      ) : (
        <small class="meta">{!item.needsAnswers && text(isOnline ? 'sending' : 'waiting')}</small>
      )}
    </li>
  );
}

/** Draws attachments and text. */
export function renderContent(
  chat: ChatController,
  { content, attachments }: Pick<VisitorMessageView, 'content'> & { attachments?: AttachmentView[] },
  isOwn = false,
): ComponentChildren {
  return [
    attachments?.map(file => renderAttachment(chat, file)),
    content && (
      <div class={isEmojiOnly(content) ? 'bubble large' : 'bubble'} dir="auto">
        <Text text={content} markdown={!isOwn} />
      </div>
    ),
  ];
}

function isEmojiOnly(text: string): boolean {
  return /^(?:\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}\ufe0f\u200d]*\s*){1,3}$/u.test(text);
}

/** A picture keeps its room before it is loaded. The address of a file is valid for an hour; then it gets another. */
function renderAttachment(chat: ChatController, file: AttachmentView): VNode {
  const { id, name, size, url, width, height, thumbnail_url, content_type } = file;
  const isPicture = content_type.startsWith('image/') && width && height;
  const open = (event: MouseEvent): void => {
    if (Date.parse(file.expires_at) > Date.now()) return;
    event.preventDefault();
    const page = window.open('', '_blank');
    void chat.perform(async () => {
      const later = await chat.freshUrl(id);
      if (page) page.location.href = later.url;
    });
  };
  const refresh = ({ currentTarget: image }: TargetedEvent<HTMLImageElement>): void => {
    if (image.dataset['refreshed']) return;
    image.dataset['refreshed'] = 'yes';
    chat.freshUrl(id).then(
      later => (image.src = later.thumbnail_url ?? later.url),
      () => undefined,
    );
  };
  return (
    <a
      key={id}
      class={isPicture ? 'picture' : 'file'}
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      onClick={open}
    >
      {isPicture ? (
        <img src={thumbnail_url ?? url} alt={name} width={width} height={height} loading="lazy" onError={refresh} />
      ) : (
        [icon(FILE), <span dir="auto">{name}</span>, <small>{chat.translator.size(size)}</small>]
      )}
    </a>
  );
}
