import type { ConversationView } from '@support-chat/sdk';
import { BACK, icon } from '@support-chat/ui/icons.jsx';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useDesk } from '../desk/desk-context.js';
import type { Mode } from '../desk/drafts.js';
import { Composer, type AfterSending } from './composer/composer.js';
import { ContactPanel } from './contact-panel.js';
import type { Command } from './commands.js';
import { contactName } from './names.js';
import { formats, t } from './texts/index.js';
import { ThreadActions } from './thread-actions.js';
import { chosenQuote } from './timeline/chosen-quote.js';
import { Timeline } from './timeline/timeline.js';

const READ_AFTER_MS = 400;

interface ThreadPaneProps {
  view: ConversationView;
  linkedId: string | undefined;
  mode: Mode;
  commands: readonly Command[];
  after: AfterSending;
  onMode(mode: Mode): void;
  onBack(): void;
}

/** A conversation: who it is, what was written, and what is written next. */
export function ThreadPane({ view, linkedId, mode, commands, after, onMode, onBack }: ThreadPaneProps) {
  const { store, presence, directory, live } = useDesk();
  const [isPanelOpen, setPanelOpen] = useState(false);
  const { id } = view;
  useEffect(() => {
    store.watch(id);
    live.viewing(id);
    return () => {
      store.watch(undefined);
      live.viewing(null);
    };
  }, [store, live, id]);
  const markRead = useMarkRead(view);
  useReadNotices(id);
  useChosenQuote(id, mode, onMode);

  const name = contactName(view.contact);
  const typing = presence.typingIn(id);
  const viewers = presence.viewersOf(id).flatMap(member => directory.nameOf(member) ?? []);
  const messages = store.thread(id).messages.value;
  return (
    <>
      <section class="thread" aria-label={t('conversationWith', { name })}>
        <header>
          <button class="icon-button back" type="button" onClick={onBack}>
            <span class="unseen">{t('backToList')}</span>
            {icon(BACK)}
          </button>
          <div class="title">
            <h2 dir="auto">{name}</h2>
            <p>
              #{view.number} · {t(`status_${view.status}`)}
              {view.subject && ` · ${view.subject}`}
              {viewers.length > 0 && ` · ${t('viewedBy', { names: formats().list(viewers) })}`}
            </p>
          </div>
          <ThreadActions view={view} commands={commands} />
          <button
            class="button quiet panel"
            type="button"
            aria-expanded={isPanelOpen}
            onClick={() => setPanelOpen(!isPanelOpen)}
          >
            {t('details')}
          </button>
        </header>
        <Timeline key={id} view={view} linkedId={linkedId} onEnd={markRead} />
        <p class="typing" role="status">
          {typing.length > 0 && t('types', { name: formats().list(typing.map(each => each.name ?? name)) })}
        </p>
        <Composer
          key={`${id} composer`}
          view={view}
          mode={mode}
          onMode={onMode}
          after={after}
          lastSeq={messages.at(-1)?.seq ?? view.last_seq}
          repliers={typing.filter(each => each.sender_type === 'agent').map(each => each.name ?? t('somebody'))}
        />
      </section>
      <div class={isPanelOpen ? 'panel open' : 'panel'}>
        <ContactPanel view={view} />
      </div>
    </>
  );
}

/** Puts the chosen message above the composer. A public message cannot quote a note. */
function useChosenQuote(id: string, mode: Mode, onMode: (mode: Mode) => void): void {
  const { drafts } = useDesk();
  const quoted = chosenQuote.value;
  useEffect(() => {
    if (!quoted) return;
    chosenQuote.value = undefined;
    if (quoted.conversation_id !== id) return;
    const next = quoted.private ? 'note' : mode;
    drafts.set(id, next, { ...drafts.of(id, next), replyToId: quoted.id });
    onMode(next);
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.composer textarea')?.focus());
  }, [quoted, id, mode, drafts, onMode]);
}

/** Marks the notifications about a conversation as read while it is on the screen. */
function useReadNotices(id: string): void {
  const { notices } = useDesk();
  const isWanting = notices.unreadConversationIds.value.includes(id);
  useEffect(() => {
    if (!isWanting) return;
    const read = () => {
      if (document.visibilityState === 'visible') notices.readOf(id);
    };
    read();
    document.addEventListener('visibilitychange', read);
    return () => document.removeEventListener('visibilitychange', read);
  }, [notices, id, isWanting]);
}

/** Marks as read what is on the screen, while the page is visible. */
function useMarkRead({ id, last_seq, unread }: ConversationView): () => void {
  const { agent, store } = useDesk();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), [id]);
  return () => {
    if (unread.agents === 0 || document.visibilityState !== 'visible') return;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const mark = store.mark();
      agent.conversations.read(id, last_seq).then(
        view => store.applyConversations([view], mark),
        () => undefined,
      );
    }, READ_AFTER_MS);
  };
}
