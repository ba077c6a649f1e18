import { computed } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { NotFound } from '../not-found.js';
import { Skeleton } from '../parts/skeleton.js';
import { useDesk } from '../desk/desk-context.js';
import type { ConversationList } from '../store/conversation-list.js';
import { ViewFilter, type ListFilter } from '../store/view-filter.js';
import '../styles/inbox.css';
import '../styles/thread.css';
import { keyLabel } from './commands.js';
import { loadComposerTexts } from './composer/texts/index.js';
import { FilterButton, FilterChips } from './filters/filter-bar.js';
import { toFilter, valuesOfFilter } from './filters/filter-values.js';
import { loadFilterTexts, t as filterText } from './filters/texts/index.js';
import { Help } from './help.js';
import { InboxCommands, type InboxContext } from './inbox-commands.js';
import { BUILT_IN_VIEWS } from './inbox-views.js';
import { ListPane } from './list-pane.js';
import { Menus } from './menus.js';
import { SearchPane } from './search-pane.js';
import { Selection } from './selection.js';
import { loadInboxTexts, t } from './texts/index.js';
import { ThreadPane } from './thread-pane.js';
import { loadTimelineTexts } from './timeline/texts/index.js';
import { useHotkeys } from './use-hotkeys.js';
import { FILTER, useInboxRoute, type InboxRoute } from './use-inbox-route.js';
import { ViewsRail } from './views-rail.js';

await Promise.all(
  [loadInboxTexts, loadComposerTexts, loadTimelineTexts, loadFilterTexts].map(load => load(navigator.languages)),
);

const SEARCH = 'search';
const SEARCH_AFTER_MS = 250;
/** Messages of as many rows beside the open one are read in advance. */
const PREFETCHED = 2;

interface ShownView {
  path: string;
  name: string;
  empty: string;
  filter: ListFilter;
}

/** The inbox: views, the list of one, and a conversation. */
export default function Inbox() {
  const desk = useDesk();
  const { store } = desk;
  const route = useInboxRoute();
  const { conversationId: openId, open } = route;
  const shown = useShownView(route);
  const list = shown && store.list(shown.filter);
  useFreedList(route.view === FILTER ? list : undefined);
  const ids = list?.ids.value ?? [];
  const formerView = useRef(BUILT_IN_VIEWS[0].path);
  if (shown && shown.path !== FILTER) formerView.current = shown.path;
  const selection = useMemo(() => new Selection(), []);
  const context = useRef<InboxContext | undefined>(undefined);
  context.current = {
    viewPath: route.view ?? '',
    ids,
    openId,
    open: id => open(route.view ?? 'mine', id, { replace: id !== undefined && openId !== undefined }),
    openView: path => open(path),
    viewPaths: [...BUILT_IN_VIEWS.map(({ path }) => path), ...desk.directory.views.value.map(({ id }) => id)],
  };
  const commands = useMemo(
    () =>
      new InboxCommands(desk, selection, () => {
        if (!context.current) throw new Error('the inbox is not shown');
        return context.current;
      }),
    [desk, selection],
  );
  useHotkeys(commands.all);
  usePrefetch(list, openId);
  useEffect(() => desk.show(list), [desk, list, openId]);
  useEffect(() => selection.clear(), [route.view, selection]);
  useEffect(() => {
    if (route.view === undefined) open(BUILT_IN_VIEWS[0].path, undefined, { replace: true });
  }, [route.view, open]);

  const filters = ({ filter }: ShownView) => ({
    values: valuesOfFilter(filter),
    menu: commands.filterMenu,
    onChange: route.filter,
  });
  if (route.view !== undefined && !shown && route.view !== SEARCH) {
    return desk.directory.isLoaded.value ? <NotFound /> : <Skeleton />;
  }
  return (
    <div class={openId === undefined ? 'inbox' : 'inbox with-thread'}>
      <div class="side">
        <SearchField route={route} />
        <ViewsRail active={route.view} />
        <button class="link keys" type="button" onClick={() => (commands.isHelpOpen.value = true)}>
          {t('keys')} <kbd>?</kbd>
        </button>
      </div>
      {shown && list && (
        <ListPane
          key={shown.path}
          title={shown.name}
          empty={shown.empty}
          list={list}
          activeId={openId}
          selection={selection}
          action={<FilterButton {...filters(shown)} />}
          filters={
            shown.path === FILTER && (
              <FilterChips {...filters(shown)} onClear={() => open(formerView.current, openId)} />
            )
          }
          onOpen={id => open(shown.path, id)}
        />
      )}
      {route.view === SEARCH && (
        <SearchPane
          query={route.query}
          openId={openId}
          onOpen={(id, messageId) => open('all', id, messageId === undefined ? {} : { messageId })}
        />
      )}
      {openId === undefined ? (
        <div class="thread nothing">
          <p>{t('chooseOne')}</p>
        </div>
      ) : (
        <OpenConversation
          key={openId}
          id={openId}
          linkedId={route.messageId}
          commands={commands}
          onBack={() => open(route.view ?? 'mine')}
        />
      )}
      <Menus commands={commands} />
      {commands.isHelpOpen.value && (
        <Help commands={commands.all} onClose={() => (commands.isHelpOpen.value = false)} />
      )}
    </div>
  );
}

interface OpenConversationProps {
  id: string;
  linkedId: string | undefined;
  commands: InboxCommands;
  onBack(): void;
}

function OpenConversation({ id, linkedId, commands, onBack }: OpenConversationProps) {
  const { store } = useDesk();
  const view = store.conversation(id).value;
  useEffect(() => void store.thread(id), [store, id]);
  if (view) {
    return (
      <ThreadPane
        view={view}
        linkedId={linkedId}
        mode={commands.mode.value}
        commands={commands.all}
        after={{
          resolve: (sentId, isShown) => void commands.resolveSent(sentId, isShown),
          snooze: (sentId, until) => void commands.snoozeSent(sentId, until),
        }}
        onMode={mode => (commands.mode.value = mode)}
        onBack={onBack}
      />
    );
  }
  return (
    <div class="thread">
      {store.isGone(id) ? (
        <div class="nothing">
          <h2>{t('goneTitle')}</h2>
          <p>{t('gone')}</p>
        </div>
      ) : (
        <Skeleton />
      )}
    </div>
  );
}

/** Forgets the list of former filters, unless a view has the same. */
function useFreedList(list: ConversationList | undefined): void {
  const { store, directory, memberId } = useDesk();
  useEffect(() => {
    if (!list) return;
    return () => {
      const views = [
        ...BUILT_IN_VIEWS.map(({ filter }) => filter),
        ...directory.views.peek().map(view => view.filters),
      ];
      const isOfView = views.some(filter => new ViewFilter(filter, memberId).key === list.filter.key);
      if (!isOfView) store.closeList(list);
    };
  }, [store, directory, memberId, list]);
}

function useShownView({ view: path, filters }: InboxRoute): ShownView | undefined {
  const { directory } = useDesk();
  const builtIn = BUILT_IN_VIEWS.find(each => each.path === path);
  const saved = directory.views.value.find(({ id }) => id === path);
  return useMemo(() => {
    if (builtIn) return { ...builtIn, name: t(builtIn.name), empty: t(builtIn.empty) };
    if (path === FILTER) {
      return { path, name: filterText('filtered'), empty: filterText('nothingMatches'), filter: toFilter(filters) };
    }
    if (saved) return { path: saved.id, name: saved.name, empty: t('viewEmpty'), filter: saved.filters };
    return undefined;
  }, [builtIn, saved, path, filters]);
}

function SearchField({ route }: { route: ReturnType<typeof useInboxRoute> }) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  return (
    <input
      id="inbox-search"
      type="search"
      autocomplete="off"
      aria-label={t('search')}
      placeholder={`${t('search')} (${keyLabel('/')})`}
      defaultValue={route.query}
      onInput={({ currentTarget: { value } }) => {
        clearTimeout(timer.current);
        timer.current = setTimeout(() => route.search(value), SEARCH_AFTER_MS);
      }}
      onKeyDown={event => {
        if (event.key === 'Escape') event.currentTarget.blur();
        if (event.key === 'Enter') route.search(event.currentTarget.value);
      }}
    />
  );
}

/** Reads the messages of the rows beside the open one, so that the next one is there at once. */
function usePrefetch(list: ConversationList | undefined, openId: string | undefined): void {
  const { store, connection } = useDesk();
  const ids = list?.ids.value ?? [];
  const isCurrent = useMemo(
    () => computed(() => connection.value === 'connected' && !!list && !store.needs.lists.value.has(list)),
    [connection, list, store],
  ).value;
  useEffect(() => {
    const index = openId === undefined ? 0 : ids.indexOf(openId);
    if (!isCurrent || index < 0) return;
    const near = ids.slice(Math.max(0, index - 1), index + 1 + PREFETCHED);
    const timer = setTimeout(() => near.forEach(id => store.thread(id)), 80);
    return () => clearTimeout(timer);
  }, [ids, openId, store, isCurrent]);
}
