import type { FoundItemView } from '@support-chat/sdk';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { Skeleton } from '../parts/skeleton.js';
import { useDesk } from '../desk/desk-context.js';
import { failureText } from './failure-text.js';
import { Highlighted } from './highlighted.js';
import { minute } from './minute.js';
import { contactName } from './names.js';
import { formats, t } from './texts/index.js';

interface SearchPaneProps {
  query: string;
  openId: string | undefined;
  onOpen(conversationId: string, messageId: string | undefined): void;
}

interface Found {
  items: readonly FoundItemView[];
  next: string | null;
}

/** Messages, conversations and contacts that the service finds. */
export function SearchPane({ query, openId, onOpen }: SearchPaneProps) {
  const { agent } = useDesk();
  const [found, setFound] = useState<Found>();
  const [failure, setFailure] = useState<string>();
  const read = async (cursor?: string) => {
    const page = await agent.search({ query, ...(cursor !== undefined && { cursor }) });
    return { items: page.items, next: page.next_cursor };
  };
  useEffect(() => {
    let isCurrent = true;
    setFound(undefined);
    setFailure(undefined);
    if (query.trim().length < 2) return;
    read().then(
      page => isCurrent && setFound(page),
      (error: unknown) => isCurrent && setFailure(failureText(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [agent, query]);
  const readMore = async (cursor: string) => {
    const page = await read(cursor);
    setFound(known => ({ items: [...(known?.items ?? []), ...page.items], next: page.next }));
  };
  return (
    <section class="list" aria-label={t('searchResults')}>
      <header>
        <h1>{t('searchResults')}</h1>
      </header>
      {failure && (
        <p class="nothing" role="alert">
          {failure}
        </p>
      )}
      {query.trim().length < 2 && <p class="nothing">{t('searchHint')}</p>}
      {query.trim().length >= 2 && !found && !failure && <Skeleton />}
      {found && (
        <div class="rows">
          {found.items.length === 0 && <p class="nothing">{t('searchNothing', { query })}</p>}
          <ul class="found">
            {found.items.map(item => (
              <FoundItem key={keyOf(item)} item={item} openId={openId} onOpen={onOpen} />
            ))}
          </ul>
          {found.next !== null && (
            <Button look="quiet" onClick={() => void readMore(found.next ?? '').catch(() => undefined)}>
              {t('more')}
            </Button>
          )}
        </div>
      )}
    </section>
  );
}

function FoundItem({ item, openId, onOpen }: { item: FoundItemView } & Pick<SearchPaneProps, 'openId' | 'onOpen'>) {
  const { conversation, message, contact, highlights, type } = item;
  const person = contact ?? conversation?.contact;
  const at = message?.created_at ?? conversation?.last_activity_at;
  const [field, text] =
    type === 'message'
      ? ['content', message?.content]
      : type === 'conversation'
        ? ['subject', conversation?.subject]
        : ['email', contact?.email];
  return (
    <li>
      <button
        type="button"
        class={conversation?.id === openId ? 'active' : ''}
        disabled={conversation === null}
        onClick={() => conversation && onOpen(conversation.id, message?.id)}
      >
        <b dir="auto">{person && contactName(person)}</b>
        {at && <time dateTime={at}>{formats().ago(at, minute.value)}</time>}
        <span class="text" dir="auto">
          {text ? <Highlighted text={text} ranges={highlights[field ?? '']} /> : conversation?.last_message?.preview}
        </span>
      </button>
    </li>
  );
}

function keyOf({ type, message, conversation, contact }: FoundItemView): string {
  return `${type} ${message?.id ?? contact?.id ?? conversation?.id}`;
}
