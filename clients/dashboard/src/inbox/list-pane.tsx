import type { ComponentChildren } from 'preact';
import { useCallback } from 'preact/hooks';
import { Skeleton } from '../parts/skeleton.js';
import { useDesk } from '../desk/desk-context.js';
import type { ConversationList } from '../store/conversation-list.js';
import { Row } from './row.js';
import type { Selection } from './selection.js';
import { t } from './texts/index.js';
import { VirtualList, type ListPosition } from './virtual-list.js';

const ROW_PX = 76;

interface ListPaneProps {
  title: string;
  /** One sentence for the empty list. */
  empty: string;
  list: ConversationList;
  activeId: string | undefined;
  selection: Selection;
  /** At the end of the heading. */
  action: ComponentChildren;
  /** Below the heading. */
  filters: ComponentChildren;
  onOpen(id: string): void;
}

/** The conversations of a view. */
export function ListPane({ title, empty, list, activeId, selection, action, filters, onOpen }: ListPaneProps) {
  const { store } = useDesk();
  const ids = list.ids.value;
  const readMore = useCallback(() => store.requireMore(list), [store, list]);
  const chosen = selection.ids.value.length;
  return (
    <section class="list" aria-label={title}>
      <header>
        <h1 dir="auto">{title}</h1>
        {action}
        {filters}
        {chosen > 0 && (
          <p class="chosen" role="status">
            {t('chosen', { count: chosen })}{' '}
            <button class="link" type="button" onClick={() => selection.clear()}>
              {t('chooseNone')}
            </button>
          </p>
        )}
      </header>
      {!list.isRead.value ? (
        <Skeleton />
      ) : ids.length === 0 ? (
        <div class="nothing">
          <p>{empty}</p>
        </div>
      ) : (
        <VirtualList
          label={title}
          ids={ids}
          hasMore={list.hasMore.value}
          rowHeight={ROW_PX}
          activeId={activeId}
          isMultiSelect
          onNearEnd={readMore}
        >
          {(id, at) => (
            <ListedRow key={id} id={id} at={at} isActive={id === activeId} selection={selection} onOpen={onOpen} />
          )}
        </VirtualList>
      )}
    </section>
  );
}

interface ListedRowProps {
  id: string;
  at: ListPosition;
  isActive: boolean;
  selection: Selection;
  onOpen(id: string): void;
}

function ListedRow({ id, at, isActive, selection, onOpen }: ListedRowProps) {
  const { store, directory, presence, drafts } = useDesk();
  const view = store.conversation(id).value;
  if (!view) return null;
  const hasSeveralChannels = directory.channels.value.size > 1;
  return (
    <Row
      view={view}
      at={at}
      channelName={hasSeveralChannels ? directory.channels.value.get(view.channel_id)?.name : undefined}
      viewers={presence.viewersOf(id).flatMap(member => directory.nameOf(member) ?? [])}
      isContactOnline={presence.isContactOnline(view.contact_id)}
      hasDraft={drafts.has(id)}
      isActive={isActive}
      isSelected={selection.has(id)}
      onOpen={event => {
        if (event.ctrlKey || event.metaKey) selection.toggle(id);
        else onOpen(id);
      }}
      onHover={() => store.thread(id)}
    />
  );
}
