import type { AttachmentView, VisitorMessageView } from '@support-chat/sdk';
import type { ComponentChildren, VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Icon } from '@support-chat/ui/icons.jsx';
import { Text } from '@support-chat/ui/text.jsx';
import type { OutboxItem } from '../state/outbox.js';
import { Avatar } from './avatar.jsx';
import { useChat } from './use-chat.js';

interface MessageProps {
  message: VisitorMessageView;
  isFirst: boolean;
  isLast: boolean;
  children?: ComponentChildren;
}

/** A stored message. */
export function Message({ message, isFirst, isLast, children }: MessageProps): VNode {
  const { translator, config } = useChat();
  const { text } = translator;
  const { sender_type, sender_name, sender_avatar_url, metadata } = message;
  const isOwn = sender_type === 'contact';
  const isBot = sender_type === 'bot' && !metadata['auto'];
  const name = sender_name ?? config.title;
  return (
    <li class={`${isOwn ? 'own' : 'their'}${isFirst ? ' first' : ''}`}>
      {!isOwn && isLast && <Avatar name={name} url={sender_avatar_url} isBot={isBot} />}
      {isFirst && (
        <b class={isOwn ? 'hidden' : 'sender'}>
          {isOwn ? text('you') : name}
          {isBot && <i>{text('bot')}</i>}
        </b>
      )}
      <Content
        content={message.content}
        attachments={message.attachments}
        isOwn={isOwn}
        isDeleted={!!message.deleted_at}
      />
      {isLast && (
        <small class="meta">
          <time dateTime={message.created_at}>{translator.clock(message.created_at)}</time>
          {message.edited_at && ` · ${text('edited')}`}
          {children}
        </small>
      )}
    </li>
  );
}

/** A message that the service has not confirmed. */
export function Pending({ item }: { item: OutboxItem }): VNode {
  const { translator, isOnline, outbox, waitingForForm } = useChat();
  const { text } = translator;
  const state = item === waitingForForm ? undefined : isOnline ? 'sending' : 'waiting';
  return (
    <li class="own first">
      <Content content={item.content || null} attachments={item.attachments} isOwn isDeleted={false} />
      {item.failed ? (
        <small class="meta error" role="alert">
          {text('failed')}
          <button onClick={() => outbox.retry(item.id)}>{text('retry')}</button>
          <button onClick={() => outbox.delete(item.id)}>{text('delete')}</button>
        </small>
      ) : (
        <small class="meta">{state && text(state)}</small>
      )}
    </li>
  );
}

interface ContentProps {
  content: string | null;
  attachments: AttachmentView[];
  isOwn: boolean;
  isDeleted: boolean;
}

export function Content({ content, attachments, isOwn, isDeleted }: ContentProps): VNode {
  const { translator } = useChat();
  const body = useMemo(() => content !== null && <Text text={content} markdown={!isOwn} />, [content, isOwn]);
  if (isDeleted) return <div class="bubble gone">{translator.text('deleted')}</div>;
  return (
    <>
      {attachments.map(each => (
        <Attachment key={each.id} file={each} />
      ))}
      {body && (
        <div class={isEmojiOnly(content) ? 'bubble large' : 'bubble'} dir="auto">
          {body}
        </div>
      )}
    </>
  );
}

function isEmojiOnly(text: string | null): boolean {
  return /^(?:\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}\ufe0f\u200d]*\s*){1,3}$/u.test(text ?? '');
}

/** A picture keeps its room before it is loaded. The address of a file is valid for an hour; then it gets another. */
function Attachment({ file: stored }: { file: AttachmentView }): VNode {
  const chat = useChat();
  const [fresh, setFresh] = useState<AttachmentView>();
  const file = fresh ?? stored;
  const { id, name, size, url, width, height, thumbnail_url, content_type } = file;
  const isPicture = content_type.startsWith('image/') && !!width && !!height;
  const open = (event: MouseEvent): void => {
    if (Date.parse(file.expires_at) > Date.now()) return;
    event.preventDefault();
    const page = window.open('', '_blank');
    void chat.perform(async () => {
      const later = await chat.freshUrl(id);
      if (page) page.location.href = later.url;
    });
  };
  const refresh = (): void => {
    if (!fresh) chat.freshUrl(id).then(setFresh, () => undefined);
  };
  return (
    <a class={isPicture ? 'picture' : 'file'} href={url} target="_blank" rel="noopener noreferrer" onClick={open}>
      {isPicture ? (
        <img src={thumbnail_url ?? url} alt={name} width={width} height={height} loading="lazy" onError={refresh} />
      ) : (
        <>
          <Icon name="file" />
          <span dir="auto">{name}</span>
          <small>{chat.translator.size(size)}</small>
        </>
      )}
    </a>
  );
}
