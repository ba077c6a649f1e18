import type { NotificationView } from '@support-chat/sdk';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { conversationPath } from '../conversation-path.js';
import { useDesk } from '../desk/desk-context.js';
import { describeError } from '../forms/describe-error.js';
import { minute } from '../inbox/minute.js';
import { Button } from '../parts/button.js';
import { LoadFailure } from '../parts/page-list.js';
import { Skeleton } from '../parts/skeleton.js';
import { describeNotice } from './describe-notice.js';
import { isUnread } from './notices.js';
import './notices.css';
import { formats, t } from './texts/index.js';

/** All notifications, newest first. Each leads to its message, and is read then. */
export default function NoticePanel() {
  const { notices, toasts, store, reader } = useDesk();
  const heading = useRef<HTMLHeadingElement>(null);
  const items = notices.items.value;
  useEffect(() => heading.current?.focus(), []);
  const unknownIds = [...new Set(items.map(({ conversation_id }) => conversation_id))].filter(
    id => !store.conversation(id).value && !store.isGone(id),
  );
  useEffect(() => void reader.readConversations(unknownIds), [unknownIds.join()]);
  const readAll = () =>
    notices.readAll().catch((error: unknown) => {
      toasts.show({ kind: 'failed', text: t('notAllRead', { reason: describeError(error) }) });
    });
  return (
    <>
      <div class="top">
        <h2 ref={heading} tabIndex={-1}>
          {t('notices')}
        </h2>
        {notices.unreadCount.value > 0 && (
          <button class="link" type="button" onClick={() => void readAll()}>
            {t('readAll')}
          </button>
        )}
      </div>
      <Content items={items} />
      <div class="bottom">
        <Link href="/settings/profile">{t('choose')}</Link>
      </div>
    </>
  );
}

function Content({ items }: { items: readonly NotificationView[] }) {
  const { notices } = useDesk();
  const error = notices.error.value;
  if (!notices.isRead.value) {
    return error === undefined ? <Skeleton /> : <LoadFailure error={error} onRetry={() => notices.requireRead(0)} />;
  }
  if (items.length === 0) {
    return (
      <div class="none">
        <h3>{t('empty')}</h3>
        <p>{t('emptyText')}</p>
      </div>
    );
  }
  return (
    <div class="scroll" tabIndex={-1}>
      <ul>
        {items.map(item => (
          <Notice key={item.id} notification={item} />
        ))}
      </ul>
      {notices.hasMore && <More />}
    </div>
  );
}

function Notice({ notification }: { notification: NotificationView }) {
  const { notices, store, directory } = useDesk();
  const view = store.conversation(notification.conversation_id).value;
  const isNew = isUnread(notification);
  const detail = view?.subject ?? view?.last_message?.preview;
  const read = () => {
    // what the service does not take stays unread there, and is shown so again
    if (isNew) notices.read([notification.id]).catch(() => undefined);
  };
  return (
    <li>
      <Link
        class={isNew ? 'notice unread' : 'notice'}
        href={conversationPath(notification.conversation_id, notification.message_id)}
        onClick={read}
      >
        {isNew && <span class="unseen">{t('unread')}: </span>}
        <span class="sentence" dir="auto">
          {describeNotice(notification, view, id => directory.nameOf(id))}
        </span>
        <time
          dateTime={notification.created_at}
          title={new Date(notification.created_at).toLocaleString(formats().locale)}
        >
          {formats().ago(notification.created_at, minute.value)}
        </time>
        {detail && (
          <span class="detail" dir="auto">
            {detail}
          </span>
        )}
      </Link>
    </li>
  );
}

function More() {
  const { notices } = useDesk();
  const [isWaiting, setWaiting] = useState(false);
  const [failure, setFailure] = useState<string>();
  const load = async () => {
    setWaiting(true);
    setFailure(undefined);
    try {
      await notices.readMore();
    } catch (error) {
      setFailure(describeError(error));
    }
    setWaiting(false);
  };
  return (
    <div class="more-notices">
      {failure && <p role="alert">{t('moreFailed', { reason: failure })}</p>}
      <Button look="quiet" isSmall isWaiting={isWaiting} onClick={() => void load()}>
        {t('loadMore')}
      </Button>
    </div>
  );
}
